import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Runtime,
  commandLineOf,
  isAlive,
  processIdentity,
  runtimeFile,
} from '@ledgerline/platform/config/runtime-file';
import { StartFailure, systemErrorCode } from '@ledgerline/platform/config/start-failure';

interface Holder {
  readonly pid: number;
  readonly birth: string | undefined;
  readonly host: string;
}

const HEARTBEAT_MS = 2_000;

/** Makes this process the only supervisor of a data directory; returns the function that releases it. */
export async function lockDataDirectory(dataDir: string, heartbeatMs = HEARTBEAT_MS): Promise<() => void> {
  const file = join(dataDir, 'lock');
  const me: Holder = { pid: process.pid, birth: processIdentity(process.pid), host: hostname() };
  while (!create(file, JSON.stringify(me))) {
    const text = read(file);
    if (text !== undefined && (await isHeld(file, parse(text), heartbeatMs))) {
      throw new StartFailure(
        `The data directory ${dataDir} is in use by ${describe(parse(text))}; stop it or set DATA_DIR.`,
      );
    }
    if (text !== undefined) takeAway(file, text);
  }
  const heartbeat = setInterval(() => touch(file), heartbeatMs).unref();
  return () => {
    clearInterval(heartbeat);
    if (read(file) === JSON.stringify(me)) rmSync(file, { force: true });
  };
}

function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** On this machine by the process id; on another one (a shared volume) by the heartbeat. */
async function isHeld(file: string, holder: Holder | undefined, heartbeatMs: number): Promise<boolean> {
  if (holder?.host === hostname()) {
    return holder.pid !== process.pid && isAlive(holder.pid) && processIdentity(holder.pid) === holder.birth;
  }
  const before = heartbeatOf(file);
  await sleep(heartbeatMs * 2.5);
  return heartbeatOf(file) !== before;
}

/** TRICKY: two starts may find the same stale lock; a fresh one that was moved by mistake is restored. */
function takeAway(file: string, stale: string): void {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return; // the other start was faster
  }
  const moved = read(aside);
  if (moved !== undefined && moved !== stale) create(file, moved);
  rmSync(aside, { force: true });
}

function parse(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

function describe(holder: Holder | undefined): string {
  if (!holder) return 'another "npm start"';
  return `another "npm start" (process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`})`;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function heartbeatOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // the data directory was removed; the next write to it fails
  }
}

const LEAVE_WITHIN_MS = 20_000;

/** Processes of a killed run end by themselves; this waits for them, and kills those that do not. */
export async function waitForOrphans(dataDir: string, print: (line: string) => void): Promise<void> {
  const left = () => orphansOf(dataDir);
  if (left().length > 0) print('Waiting for the processes of an interrupted run to end …');
  const deadline = Date.now() + LEAVE_WITHIN_MS;
  while (left().length > 0 && Date.now() < deadline) await sleep(100);
  for (const pid of left()) process.kill(pid, 'SIGKILL');
  rmSync(runtimeFile(dataDir), { force: true });
}

/** Only processes started for this data directory: a process id may have been reused. */
function orphansOf(dataDir: string): number[] {
  const ours = (pid: number) =>
    pid !== process.pid && isAlive(pid) && `${commandLineOf(pid) ?? ''} `.includes(` ${dataDir} `);
  return Object.values(pidsIn(runtimeFile(dataDir))).filter(ours);
}

function pidsIn(file: string): Runtime['pids'] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Runtime).pids;
  } catch {
    return {};
  }
}
