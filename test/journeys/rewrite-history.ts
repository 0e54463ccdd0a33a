import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { chainHash } from '@ledgerline/platform/event-store/appended-events';
import { eventColumns, rowToRecordedEvent, type EventRow } from '@ledgerline/platform/event-store/postgres-reads';

/**
 * Does what somebody can who may write to the database: changes the event at a place, and computes its hash and those
 * of the later places anew, up to the head unless they stop before.
 */
export async function rewriteHistory(
  databaseUrl: string,
  organization: string,
  from: number,
  to?: number,
): Promise<void> {
  const pool = openPool({ url: databaseUrl, name: 'spec', max: 1 });
  const rows = await run<EventRow & { chain_revision: string; previous_hash: string }>(
    pool,
    sql`select ${eventColumns}, chain_revision, encode(previous_hash, 'hex') as previous_hash from events
        where organization = ${organization} and chain_revision between ${from} and ${to ?? 1e9} order by chain_revision`,
  );
  let previousHash = rows[0]!.previous_hash;
  for (const row of rows) {
    const event = rowToRecordedEvent(row);
    const data = Number(row.chain_revision) === from ? { ...event.data, name: 'Never mind' } : event.data;
    const hash = chainHash({ ...event, data }, previousHash);
    await run(
      pool,
      sql`update events set data = ${JSON.stringify(data)}::json, hash = decode(${hash}, 'hex'),
            previous_hash = decode(${previousHash}, 'hex') where id = ${event.id}`,
    );
    previousHash = hash;
  }
  const head = sql`update organization_chains set hash = decode(${previousHash}, 'hex') where organization = ${organization}`;
  if (to === undefined) await run(pool, head);
  await pool.end();
}

/** Changes the content of the event at a place, and nothing else. */
export async function changeEvent(databaseUrl: string, organization: string, place: number): Promise<void> {
  const pool = openPool({ url: databaseUrl, name: 'spec', max: 1 });
  const change = sql`update events set data = (data::jsonb || '{"name":"Never mind"}')::json
                     where organization = ${organization} and chain_revision = ${place}`;
  await run(pool, change);
  await pool.end();
}
