import { isAlive, commandLineOf } from '@ledgerline/platform/config/processes';
import { runtimeFile, type Runtime } from '@ledgerline/platform/config/runtime-file';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

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
