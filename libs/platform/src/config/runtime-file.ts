import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { POSTGRES_EXAMPLE, POSTGRES_URL, type Settings, loadReadDatabaseUrls } from './settings';
import { StartFailure, systemErrorCode } from './start-failure';

/** Returns whether a process with this id exists, also if it belongs to another user. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}

/** The command line of a process, or undefined where it cannot be read. */
export function commandLineOf(pid: number): string | undefined {
  if (existsSync('/proc/self/cmdline')) return readOrUndefined(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ');
  return ps(pid, 'command=');
}

/** Distinguishes processes that had the same id one after the other; undefined where it cannot be read. */
export function processIdentity(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return ps(pid, 'lstart=');
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' '); // TRICKY: the name before it may hold spaces
  return fields && `${readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim() ?? ''}/${fields[19] ?? ''}`;
}

function ps(pid: number, column: string): string | undefined {
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function readOrUndefined(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Addresses of a running `npm start` for the command-line tools, in `<data dir>/runtime.json` (mode 600). */
export interface Runtime {
  readonly databaseUrl: string;
  /** The databases of the read models of websites and links. */
  readonly readDatabaseUrls?: readonly string[];
  /** Where decided events are kept in an EventStoreDB. */
  readonly eventStoreUrl?: string;
  readonly apiUrl: string;
  readonly trackUrl: string;
  readonly pids: Readonly<Record<string, number>>;
}

/** The data directory of the command-line tools, absolute. */
export const dataDirOf = ({ DATA_DIR }: Readonly<NodeJS.ProcessEnv>): string => resolve(DATA_DIR?.trim() || '.data');

export const runtimeFile = (dataDir: string) => join(dataDir, 'runtime.json');

/** The stores of the command-line tools: those the variables name, else those of the running `npm start`. */
export function storesForTools(
  variables: Readonly<NodeJS.ProcessEnv>,
): Pick<Settings, 'databaseUrl' | 'readDatabaseUrls' | 'eventStoreUrl'> {
  const { DATABASE_URL } = variables;
  const databaseUrl = DATABASE_URL?.trim();
  if (databaseUrl) {
    if (!POSTGRES_URL.test(databaseUrl))
      throw new StartFailure(`DATABASE_URL is no connection string such as ${POSTGRES_EXAMPLE}.`);
    const readDatabaseUrls = loadReadDatabaseUrls(variables) ?? [databaseUrl];
    return { databaseUrl, readDatabaseUrls, eventStoreUrl: eventStoreIn(variables) };
  }
  const runtime = readRuntime(dataDirOf(variables));
  if (runtime) {
    const { readDatabaseUrls = [runtime.databaseUrl], eventStoreUrl } = runtime;
    return { databaseUrl: runtime.databaseUrl, readDatabaseUrls, eventStoreUrl };
  }
  throw new StartFailure('No database: run "npm start" in another terminal first, or set DATABASE_URL.');
}

/** The EventStoreDB that the variables name, if that is where decided events are kept. */
export const eventStoreIn = ({ EVENT_STORE, EVENTSTORE_URL }: Readonly<NodeJS.ProcessEnv>): string | undefined =>
  EVENT_STORE?.trim() === 'eventstoredb' ? EVENTSTORE_URL?.trim() : undefined;

/** The runtime file of the `npm start` that uses this data directory, or undefined where none is running. */
export function readRuntime(dataDir: string): Runtime | undefined {
  try {
    const runtime = JSON.parse(readFileSync(runtimeFile(dataDir), 'utf8')) as Runtime;
    return isAlive(runtime.pids.supervisor ?? 0) ? runtime : undefined;
  } catch {
    return undefined;
  }
}
