import type { Pool } from 'pg';
import { chunkOf, EVERY_COLUMN, SLICE_SIZE } from '@ledgerline/aggregation/aggregation';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { sessionDayStates, sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { isCanceled, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { type Sql, identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { readSessionSlices } from '@ledgerline/platform/session-days/read-session-slices';
import { SessionGroups, packedRows } from './packed-rows';
import { dropParts, type SealableDay } from './stored-parts';

/** sealed · changed: a batch was faster, the day is tried again later · taken: another process seals it, or has */
type Sealed = 'sealed' | 'changed' | 'taken';

interface DayAsRead {
  readonly changes: number;
  readonly groups: SessionGroups;
}

const DAY_MS = 86_400_000;
/** Sessions that one statement reads: more hold up the event loop when they arrive. */
const PIECE = 2 * SLICE_SIZE;
/** Bytes of rows that one statement writes, in hex digits. */
const MAX_DIGITS = 1_000_000;

/**
 * One snapshot for the count of changes and the sessions.
 * TRICKY: without nested loops, which Postgres chooses for a day that it expects to be empty, as statistics are older.
 */
const READ = 'begin isolation level repeatable read read only; set local enable_nestloop = off';
/** A crash loses rows and state together. */
const WRITE = 'begin; set local synchronous_commit = off';

/**
 * Packs the sessions of a day into rows. They are only written if no batch has changed the day since its sessions were
 * read, so nothing waits for it.
 */
export async function sealDay(pool: Pool, of: SealableDay): Promise<Sealed> {
  const read = await transaction(pool, (client) => readDay(client, of), READ);
  if (!read) return 'taken';
  const rows: ReadModelRow[] = [];
  for await (const row of packedRows(of.website, of.day, read.groups, yieldToEventLoop())) rows.push(row);
  try {
    await transaction(pool, (client) => writeDay(client, of, read.changes, rows), WRITE);
    return 'sealed';
  } catch (error) {
    if (error instanceof DayChanged) return 'changed';
    throw error;
  }
}

/** Undefined for a day that is sealed, or that another process reads now. */
async function readDay(client: Queryable, { schema, website, day }: SealableDay): Promise<DayAsRead | undefined> {
  const lock = sql`select pg_try_advisory_xact_lock(hashtext(${`ledgerline seal ${schema} ${website}`}), ${day}) as mine`;
  const [claim] = await run<{ mine: boolean }>(client, lock);
  if (!claim?.mine) return undefined;
  const [state] = await run<{ changes: number }>(
    client,
    sql`select changes from ${identifier(schema, sessionDayStates.name)} where ${openDay({ website, day })}`,
  );
  if (!state) return undefined;
  return { changes: state.changes, groups: await readSessionGroups(client, { schema, website, day }) };
}

/** The sessions that began on a day. */
export async function readSessionGroups(on: Queryable, { schema, website, day }: SealableDay): Promise<SessionGroups> {
  const table = ({ name }: { name: string }) => identifier(schema, name);
  const groups = new SessionGroups();
  const pause = yieldToEventLoop();
  for (const where of await piecesOfDay(on, { schema, website, day })) {
    for (const slice of await readSessionSlices(on, { table, website, where }, EVERY_COLUMN)) {
      groups.add(chunkOf(slice, EVERY_COLUMN));
      await pause();
    }
  }
  return groups;
}

/** Conditions that divide the sessions of a day by the time of their first event. */
export async function piecesOfDay(client: Queryable, { schema, website, day }: SealableDay): Promise<readonly Sql[]> {
  const begin = new Date(day * DAY_MS);
  const end = new Date((day + 1) * DAY_MS);
  const bounds = await run<{ at: Date }>(
    client,
    sql`select distinct first_at as at from (
        select first_at, row_number() over (order by first_at) as place from ${identifier(schema, sessions.name)}
        where website = ${website} and first_at >= ${begin} and first_at < ${end}
      ) s where place % ${PIECE} = 0 order by 1`,
  );
  const starts = [begin, ...bounds.map(({ at }) => at)];
  return starts.map((from, at) => sql` and s.first_at >= ${from} and s.first_at < ${starts[at + 1] ?? end}`);
}

/** The state comes last: only from then to the end can a batch wait for it. */
async function writeDay(
  client: Queryable,
  of: SealableDay,
  changes: number,
  rows: readonly ReadModelRow[],
): Promise<void> {
  for (const some of portions(rows)) await run(client, upsert(of.schema, sessionDays, some));
  const [sealed] = await run(
    client,
    sql`update ${identifier(of.schema, sessionDayStates.name)} set is_sealed = true, parts_of = -1
      where ${openDay(of)} and changes = ${changes} returning day`,
  );
  if (!sealed) throw new DayChanged();
  for (const statement of dropParts(of)) await run(client, statement);
}

/** Takes the rows back. */
class DayChanged extends Error {}

const openDay = ({ website, day }: Pick<SealableDay, 'website' | 'day'>): Sql =>
  sql`website = ${website} and day = '1970-01-01'::date + ${day}::integer and not is_sealed`;

function* portions(rows: readonly ReadModelRow[]): Iterable<readonly ReadModelRow[]> {
  let portion: ReadModelRow[] = [];
  let digits = 0;
  for (const row of rows) {
    portion.push(row);
    for (const value of Object.values(row)) digits += typeof value === 'string' ? value.length : 0;
    if (digits < MAX_DIGITS) continue;
    yield portion;
    portion = [];
    digits = 0;
  }
  if (portion.length > 0) yield portion;
}

export interface SealingPass {
  readonly pool: Pool;
  /** The schema of a version whose tables this program writes. */
  readonly schema: string;
  /** Only days without a change for so long are sealed, ms. */
  readonly quietMs: number;
  readonly signal?: AbortSignal;
  /** Called after each day. */
  readonly onDay?: (result: Sealed | 'failed', durationMs: number) => void;
}

interface SealingResult {
  readonly sealed: number;
  /** Days that a batch changed while they were read. */
  readonly changed: number;
  readonly failed: number;
  /** The error of the first day that failed. */
  readonly error: unknown;
}

/** Returns whether a group has days to seal. */
export const hasSealedDays = ({ builds }: Pick<GroupSchema, 'builds'>): boolean => builds.includes(sessionDays);

/**
 * Seals all days of a version that are over (in UTC) and quiet, the latest first. A day that fails does not keep others
 * from being sealed.
 * @throws when the database is unavailable
 */
export async function sealDays({ pool, schema, quietMs, signal, onDay }: SealingPass): Promise<SealingResult> {
  const count = { sealed: 0, changed: 0, taken: 0, failed: 0 };
  let error: unknown;
  for await (const of of daysToSeal(pool, schema, quietMs)) {
    if (signal?.aborted) break;
    const begunAt = performance.now();
    const result = await sealDay(pool, of).catch((failure: unknown) => {
      if (isUnavailable(failure) && !isCanceled(failure)) throw failure;
      error ??= failure;
      return 'failed' as const;
    });
    count[result]++;
    onDay?.(result, performance.now() - begunAt);
  }
  return { ...count, error };
}

/** Seals all days that are over, quiet or not. @throws if one fails */
export async function sealAll(pool: Pool, schema: string): Promise<void> {
  const { failed, error } = await sealDays({ pool, schema, quietMs: 0 });
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}

const PAGE = 1_000;

async function* daysToSeal(on: Queryable, schema: string, quietMs: number): AsyncIterable<SealableDay> {
  const today = Math.floor(Date.now() / DAY_MS);
  const quietSince = new Date(Date.now() - quietMs);
  const table = identifier(schema, sessionDayStates.name);
  let last: Omit<SealableDay, 'schema'> | undefined = { day: today, website: 0 };
  while (last) {
    const page: SealableDay[] = await run<SealableDay>(
      on,
      sql`select ${schema}::text as schema, website, day - '1970-01-01'::date as day from ${table}
        where not is_sealed and (day, website) < ('1970-01-01'::date + ${last.day}::integer, ${last.website}::integer)
          and changed_at <= ${quietSince}
        order by day desc, website desc limit ${PAGE}`,
    );
    yield* page;
    last = page.length < PAGE ? undefined : page.at(-1);
  }
}

export interface DayCounts {
  readonly sealed: number;
  readonly open: number;
  /** The time for which the oldest open day has been over, ms. */
  readonly oldestOverMs: number;
}

export async function countDays(on: Queryable, schema: string): Promise<DayCounts> {
  const [row] = await run<{ sealed: number; open: number; oldest: number | null }>(
    on,
    sql`select count(*) filter (where is_sealed)::integer as sealed, count(*) filter (where not is_sealed)::integer as open,
        min(day) filter (where not is_sealed) - '1970-01-01'::date as oldest
      from ${identifier(schema, sessionDayStates.name)}`,
  );
  const { sealed = 0, open = 0, oldest = null } = row ?? {};
  const overSince = oldest === null ? Infinity : (oldest + 1) * DAY_MS;
  return { sealed, open, oldestOverMs: Math.max(0, Date.now() - overSince) };
}
