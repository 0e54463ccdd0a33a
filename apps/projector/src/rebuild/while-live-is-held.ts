import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { PoolClient } from 'pg';
import { catchUp, catchUpClosely, type CatchUp } from './catch-up';
import { eventsOf, lockLive, type LivePosition } from './live-position';

/** The result of work while the live version was held, and how many events it waited for. */
export interface Held<T> {
  readonly result: T;
  readonly heldUp: number;
}

/** Catches up closely, locks the live version where it is, brings the new one to the same position, and does the work then. */
export async function whileLiveIsHeld<T>(
  filling: CatchUp,
  work: (live: LivePosition, client: PoolClient) => Promise<T>,
): Promise<Held<T>> {
  const { group, version, batch, signal } = filling;
  const { pool } = group;
  await catchUpClosely(filling);
  return transaction(pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    const before = await eventsOf(pool, group, version);
    const live = await lockLive(client, group);
    await catchUp({ group, version, batch, signal });
    const heldUp = (await eventsOf(pool, group, version)) - before;
    return { result: await work(live, client), heldUp };
  });
}
