import type { Pool } from 'pg';
import { type Queryable, run, transaction } from '../database/pool';
import { type Sql, emptySql, sql } from '../database/sql';

interface Wanted {
  /** A condition on messages. */
  readonly which: Sql;
  /** An audit stream that has stopped at a broken place goes on from the chain as it is. */
  readonly goesOn: boolean;
}

/** Sends messages of a destination again, behind what is new, and turns it on; what waits is tried at once. Answers how many. */
export function retryDeliveries(pool: Pool, destination: string, { which, goesOn }: Wanted): Promise<number> {
  return transaction(pool, async (client) => {
    const retried = await run(
      client,
      sql`update deliveries set state = 'waiting', is_repeated = true, tries = 0, changed_at = now()
        where destination_id = ${destination} and state <> 'waiting' and body is not null and ${which} returning 1`,
    );
    const chain = goesOn ? sql`, hash = null` : emptySql;
    await run(
      client,
      // a sender that is about to rest sees by the number that there is more
      sql`update destination_sending set state = 'ok', next_at = now(), failing_since = null, next_number = next_number + 1 ${chain}
        where destination_id = ${destination}`,
    );
    return retried.length;
  });
}

/**
 * Lets be what waits for a destination, which goes on with what happens from now on: from the place after `head` of its
 * chain. Answers how many messages that are.
 */
export async function skipDeliveries(on: Queryable, destination: string, head: number): Promise<number> {
  await run(
    on,
    sql`update destination_sending set state = 'ok', next_at = now(), failing_since = null, hash = null,
        next_revision = greatest(next_revision, ${head + 1}::bigint)
      where destination_id = ${destination}`,
  );
  const skipped = await run(
    on,
    sql`update deliveries set state = 'skipped', changed_at = now()
      where destination_id = ${destination} and state = 'waiting' returning 1`,
  );
  return skipped.length;
}
