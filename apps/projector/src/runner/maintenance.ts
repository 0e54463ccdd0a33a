import { setTimeout } from 'node:timers/promises';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';

/** A chore that some process has to do now and then; it must be safe to do twice. */
export interface Maintenance {
  readonly name: string;
  run(pool: Pool, now: Date): Promise<unknown>;
}

interface Chores {
  readonly pool: Pool;
  readonly maintenance: readonly Maintenance[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const EVERY_MS = 60_000;

/** Does all chores at start and every minute, in whichever process is first. */
export async function keepMaintaining(chores: Chores): Promise<void> {
  while (!chores.signal.aborted) {
    for (const chore of chores.maintenance) await maintain(chore, chores);
    await setTimeout(EVERY_MS, undefined, { signal: chores.signal }).catch(() => undefined);
  }
}

async function maintain(chore: Maintenance, { pool, logger }: Chores): Promise<void> {
  try {
    await transaction(pool, async (client) => {
      const lock = sql`select pg_try_advisory_xact_lock(hashtext(${`ledgerline chore ${chore.name}`})) as mine`;
      const [row] = await run<{ mine: boolean }>(client, lock);
      if (row?.mine) await chore.run(pool, new Date());
    });
  } catch (error) {
    logger.warn({ err: error, chore: chore.name }, 'a chore failed; it is tried again in a minute');
  }
}
