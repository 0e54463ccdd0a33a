import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandLineOf, isAlive } from '@ledgerline/platform/config/runtime-file';

/** Greater than any process id. */
const UNUSED_PID = 4_194_305;

/**
 * Stops a server that a killed run left behind, and corrects a `postmaster.pid` whose id meanwhile belongs to another
 * program, which Postgres would take for a running server.
 */
export async function stopLeftoverPostgres(directory: string): Promise<void> {
  const file = join(directory, 'postmaster.pid');
  const lines = linesOf(file);
  const pid = Math.abs(Number(lines[0]));
  if (!isAlive(pid)) return;
  const command = commandLineOf(pid);
  if (command === undefined) return; // if it is a running server after all, Postgres reports it
  if (command.includes(`-D ${directory} `)) return stop(pid);
  // TRICKY: keep the other lines; Postgres uses them to detect an old backend that still uses the shared memory
  writeFileSync(file, [String(UNUSED_PID), ...lines.slice(1)].join('\n'));
}

/** A fast shutdown, then an immediate one, after which Postgres recovers at its next start. */
async function stop(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    process.kill(pid, signal);
    const deadline = Date.now() + 20_000;
    while (isAlive(pid) && Date.now() < deadline) await sleep(50);
    if (!isAlive(pid)) return;
  }
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
