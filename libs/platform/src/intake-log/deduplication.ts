import type { Pool } from 'pg';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { type Queryable, run, transaction } from '../database/pool';
import { identifier, sql } from '../database/sql';
import type { EncodedHit } from './encoded-hit';

const DAY_MS = 24 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;
/** 48 hours and a margin for transactions that began before midnight. */
const KEPT_MS = 49 * HOUR_MS;
/** No topic is expected to be behind for longer. */
const MAX_WAIT_MS = 30 * DAY_MS;

/**
 * Creates the tables and functions of the days around now and drops those that are no longer used. To be called at start and every
 * few hours; a send that finds nothing for its day calls it too.
 */
export async function maintainDeduplication(pool: Pool, now?: Date): Promise<void> {
  await transaction(pool, async (client) => {
    await run(client, sql`select pg_advisory_xact_lock(hashtext('ledgerline intake_seen'))`);
    await run(client, sql`set local lock_timeout = '2s'`);
    const at = now ?? (await databaseTime(client));
    const since = await copiedUntil(client, at.getTime());
    const existing = new Set(await readDays(client));
    const wanted: string[] = [];
    for (let day = since - 2 * DAY_MS; day <= at.getTime() + 2 * DAY_MS; day += DAY_MS) wanted.push(dayName(day));
    for (const day of wanted.filter((name) => !existing.has(name)))
      await run(client, sql`select intake_add_day(${day}::date)`);
    const oldest = dayName(since - KEPT_MS);
    for (const day of [...existing].filter((name) => name < oldest)) {
      await run(client, sql`drop function ${identifier('intake_seen', day)}`);
      await run(client, sql`drop table if exists ${identifier('intake_seen', day)}`);
    }
  });
}

/** Hits that wait in Kafka are looked for by the day on which they came. */
async function copiedUntil(on: Queryable, now: number): Promise<number> {
  const [oldest] = await run<{ at: Date | null }>(
    on,
    sql`select min(caught_up_at) as at from intake_topic_offsets o join intake_log l on l.topic = o.topic`,
  );
  return Math.max(Math.min(oldest?.at?.getTime() ?? now, now), now - MAX_WAIT_MS);
}

/** Hits that are stored unless they were sent before; an id is among them once. */
export interface Candidates {
  readonly hits: readonly EncodedHit[];
  /** Keys by which they are recognised, and those of them that are remembered forever. */
  readonly keys: ReadonlySet<string>;
  readonly forever: ReadonlySet<string>;
}

export function candidatesOf(hits: readonly EncodedHit[]): Candidates {
  const ids = new Set<string>();
  const keys = new Set<string>();
  const forever = new Set<string>();
  const candidates: EncodedHit[] = [];
  for (const hit of hits) {
    const isRepeated = hit.dedupe !== 'never' && ids.has(hit.id);
    if (!isRepeated) candidates.push(hit);
    if (hit.dedupe === 'never') continue;
    ids.add(hit.id);
    keys.add(hit.key);
    if (hit.dedupe === 'forever') forever.add(hit.key);
  }
  return { hits: candidates, keys, forever };
}

/** Returns the hits with one of these new keys, in the notation of {@link uuids}, or without any. */
export function withKeys({ hits }: Candidates, fresh: string): EncodedHit[] {
  const found = new Set(fresh.replaceAll('-', '').slice(1, -1).split(','));
  return hits.filter(({ dedupe, key }) => dedupe === 'never' || found.has(key));
}

/** Returns which of these event ids were sent before with `dedupe: 'forever'`; stores nothing. */
export async function knownForever(on: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const idOf = new Map(ids.map((id) => [decodeEventId(id).toString('hex'), id]));
  const { rows } = await on.query<{ hash: string }>(
    'select hash::text from intake_seen.forever where hash = any($1::uuid[])',
    [uuids(idOf.keys())],
  );
  return new Set(rows.map(({ hash }) => idOf.get(hash.replaceAll('-', '')) ?? ''));
}

/** Postgres's own notation: much cheaper for thousands of keys than quoting each. */
export const uuids = (keys: Iterable<string>) => `{${[...keys].join(',')}}`;

const dayName = (at: number) => new Date(at).toISOString().slice(0, 10);

async function databaseTime(on: Queryable): Promise<Date> {
  const [row] = await run<{ now: Date }>(on, sql`select clock_timestamp() as now`);
  return row?.now ?? new Date();
}

/** The days that have a table and a function. */
async function readDays(on: Queryable): Promise<string[]> {
  const functions = sql`select proname as name from pg_proc where pronamespace = 'intake_seen'::regnamespace`;
  const rows = await run<{ name: string }>(on, functions);
  return rows.map(({ name }) => name);
}
