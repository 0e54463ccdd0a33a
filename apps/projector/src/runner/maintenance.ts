import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { pause } from '@ledgerline/platform/log/backoff';
import { LogTampered } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';

/** Periodic work that one process has to do; it must be safe to do twice. */
export interface MaintenanceTask {
  readonly name: string;
  run(pool: Pool, now: Date): Promise<unknown>;
}

interface MaintenanceLoop {
  readonly pool: Pool;
  readonly tasks: readonly MaintenanceTask[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const EVERY_MS = 60_000;

/** Runs all tasks at start and every minute, each in the first process that gets its lock. */
export async function runMaintenance(loop: MaintenanceLoop): Promise<void> {
  while (!loop.signal.aborted) {
    for (const task of loop.tasks) await runTask(task, loop);
    await pause(EVERY_MS, loop.signal);
  }
}

async function runTask(task: MaintenanceTask, { pool, logger }: MaintenanceLoop): Promise<void> {
  try {
    await transaction(pool, async (client) => {
      const lock = sql`select pg_try_advisory_xact_lock(hashtext(${`ledgerline maintenance ${task.name}`})) as mine`;
      const [row] = await run<{ mine: boolean }>(client, lock);
      if (row?.mine) await task.run(pool, new Date());
    });
  } catch (error) {
    if (error instanceof LogTampered) logger.error({ task: task.name }, error.message);
    else logger.warn({ err: error, task: task.name }, 'a maintenance task failed; it is retried in a minute');
  }
}
