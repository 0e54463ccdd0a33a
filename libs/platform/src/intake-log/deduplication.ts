import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { Pool, PoolClient } from 'pg';
import { type Queryable, run, transaction } from '../database/pool';
import { identifier, sql } from '../database/sql';
import type { EncodedHit } from './encoded-hit';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** 48 hours and a margin for transactions that began before midnight. */
const KEPT_MS = 49 * HOUR_MS;

/**
 * Creates the tables of the days around now and drops those that are no longer read. To be called at start and every
 * few hours; a send that finds its day without a table calls it too.
 */
export async function maintainDeduplication(pool: Pool, now?: Date): Promise<void> {
  await transaction(pool, async (client) => {
    await run(client, sql`select pg_advisory_xact_lock(hashtext('ledgerline intake_seen'))`);
    await run(client, sql`set local lock_timeout = '2s'`);
    const at = now ?? (await databaseTime(client));
    const existing = new Set(await tables(client));
    const wanted = [-2, -1, 0, 1, 2].map((days) => dayName(at.getTime() + days * DAY_MS));
    for (const day of wanted.filter((name) => !existing.has(name)))
      await run(client, sql`create table ${identifier('intake_seen', day)} (hash uuid primary key)`);
    const oldest = dayName(at.getTime() - KEPT_MS);
    for (const day of [...existing].filter((name) => name < oldest))
      await run(client, sql`drop table ${identifier('intake_seen', day)}`);
  });
}

/** The hits that were not sent before; stores their keys within the transaction of `client`. */
export async function withoutDuplicates(
  client: PoolClient,
  hits: readonly EncodedHit[],
  now?: Date,
): Promise<ReadonlySet<EncodedHit>> {
  const firstOf = new Map<string, EncodedHit>();
  const keys = new Set<string>();
  const forever = new Set<string>();
  const fresh = new Set<EncodedHit>();
  for (const hit of hits) {
    if (hit.dedupe === 'never') {
      fresh.add(hit);
      continue;
    }
    if (!firstOf.has(hit.id)) firstOf.set(hit.id, hit);
    keys.add(hit.key);
    if (hit.dedupe === 'forever') forever.add(hit.key);
  }
  if (keys.size === 0) return fresh;
  const { rows } = await client.query<{ fresh: string }>({
    name: 'intake_first_seen',
    text: 'select intake_first_seen($1, $2, $3)::text as fresh',
    values: [uuids(keys), uuids(forever), now ?? null],
  });
  const found = new Set(rows[0]?.fresh.replaceAll('-', '').slice(1, -1).split(','));
  for (const hit of firstOf.values()) if (found.has(hit.key)) fresh.add(hit);
  return fresh;
}

/** Which of these event ids were sent before with `dedupe: 'forever'`; stores nothing. */
export async function knownForever(on: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const idOf = new Map(ids.map((id) => [decodeEventId(id).toString('hex'), id]));
  const { rows } = await on.query<{ hash: string }>(
    'select hash::text from intake_seen.forever where hash = any($1::uuid[])',
    [uuids(idOf.keys())],
  );
  return new Set(rows.map(({ hash }) => idOf.get(hash.replaceAll('-', '')) ?? ''));
}

/** Postgres's own notation: much cheaper for thousands of keys than quoting each. */
const uuids = (keys: Iterable<string>) => `{${[...keys].join(',')}}`;

const dayName = (at: number) => new Date(at).toISOString().slice(0, 10);

async function databaseTime(on: Queryable): Promise<Date> {
  const [row] = await run<{ now: Date }>(on, sql`select clock_timestamp() as now`);
  return row?.now ?? new Date();
}

async function tables(on: Queryable): Promise<string[]> {
  const rows = await run<{ name: string }>(
    on,
    sql`select tablename as name from pg_tables where schemaname = 'intake_seen' and tablename <> 'forever'`,
  );
  return rows.map(({ name }) => name);
}
