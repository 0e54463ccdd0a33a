import { spawn, type ChildProcess } from 'node:child_process';
import { startOrExplain } from '@ledgerline/platform/config/start-failure';
import { stopLeftoverPostgres } from './leftover-server';
import type { Owner } from './owner';

/** The argument of the host on its command line, as JSON. */
export interface PostgresHostOptions {
  readonly postgres: string;
  readonly directory: string;
  readonly flags: readonly string[];
  readonly owner: Owner;
}

/** Without the supervisor the apps stop too, and need the database while they drain. */
const GRACE_FOR_APPS_MS = 5_000;

/** Runs one Postgres: ends when it ends, stops it on SIGTERM or when the supervisor is gone. */
async function host({ postgres, directory, flags, owner }: PostgresHostOptions): Promise<void> {
  await stopLeftoverPostgres(directory);
  const args = ['-D', directory, ...flags];
  const server = spawn(postgres, args, { ...owner, cwd: '/', stdio: ['ignore', 'inherit', 'inherit'] });
  server.once('error', (error) => leave(error.message, 1));
  server.once('exit', (code, signal) => leave(`Postgres ended (${signal ?? code ?? '?'}).`, stopping ? 0 : 1));
  process.on('SIGTERM', () => stop(server, 'SIGINT'));
  process.on('SIGINT', () => stop(server, 'SIGQUIT'));
  process.once('disconnect', () => setTimeout(() => stop(server, 'SIGINT'), GRACE_FOR_APPS_MS));
  if (!process.connected) stop(server, 'SIGINT');
}

let stopping = false;

/** SIGINT is a fast shutdown, SIGQUIT an immediate one. */
function stop(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): void {
  stopping = true;
  server.kill(signal);
}

function leave(words: string, code: number): void {
  if (code !== 0) process.stderr.write(`${words}\n`);
  process.exit(code);
}

startOrExplain(() => host(JSON.parse(process.argv[2] ?? '{}') as PostgresHostOptions));
