import {
  alternativesOf,
  NO_KEYS,
  type OpenDay,
  type PartColumn,
  type SessionSlice,
  type WantedColumns,
} from '@ledgerline/aggregation/aggregation';
import { attributeNamed } from '@ledgerline/contracts/attributes';
import { KEY_BYTES, sessionDayStates, sessionParts } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { instant, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { isListed, listedKeys, readSessionSlices } from '@ledgerline/platform/session-days/read-session-slices';
import { conditionsFor, matches } from '../sql/sessions';
import { type TimeRange } from '../sql/time';
import {
  type ColumnCache,
  type CachedColumnPart,
  beginsOf,
  joinParts,
  selectPartSql,
  readThrough,
} from './column-cache';
import { filtersOnSorted, type SealedDays, type Selecting } from './sealed-days';

/** The selection of sessions that began on days which are not sealed, before it is read. */
interface ListedOpen {
  /** The parts, those of a day together and the newest first. */
  readonly parts: readonly ListedPart[];
  /** The keys of the sessions that have changed since the parts of each day were packed. */
  readonly changed: ReadonlyMap<number, Uint8Array>;
  /** When other sessions began. */
  readonly spans: readonly TimeRange[];
  /** The number of sessions the parts have, and how many are read from their table. */
  readonly packed: number;
  readonly unpacked: number;
}

const DAY_MS = 86_400_000;

export async function listOpenSessions(on: Queryable, selecting: Selecting, sealed: SealedDays): Promise<ListedOpen> {
  const { from, to, website, table } = selecting;
  const parts = openSpans(sealed.days, to).length === 0 ? [] : await listParts(on, selecting);
  const days = daysOf(parts);
  const changed = days.length === 0 ? new Map<number, Uint8Array>() : await readChangedKeys(on, selecting, days);
  const spans = openSpans(Int32Array.from([...sealed.days, ...days]).sort(), to);
  let unpacked = 0;
  for (const { length } of changed.values()) unpacked += length / KEY_BYTES;
  if (spans.length > 0) {
    const counted = sql`select count(*)::integer as sessions from ${table(sessions)} s
      where s.website = ${website} and s.last_at >= ${instant(from)}${beganIn(spans)}`;
    const [row] = await run<{ sessions: number }>(on, counted);
    unpacked += row?.sessions ?? 0;
  }
  const reached = reaching(parts, from);
  const packed = reached.reduce((sum, { size }) => sum + size, 0);
  return { parts: reached, changed, spans, packed, unpacked };
}

interface OpenSessions {
  readonly days: readonly OpenDay[];
  /** The filters that are to be decided before their parts are decoded. */
  readonly onKeys: Selecting['filters'];
  readonly slices: readonly SessionSlice[];
}

/** Returns what was listed: the parts of open days, and the sessions that none of them has. */
export async function readOpenSessions(
  on: Queryable,
  selecting: Selecting,
  { parts, changed, spans }: ListedOpen,
  wanted: WantedColumns,
  { columns, cache }: { readonly columns: readonly PartColumn[]; readonly cache: ColumnCache },
): Promise<OpenSessions> {
  const slices: SessionSlice[] = [];
  const read = async (some: Sql) => {
    const where = sql` and s.last_at >= ${instant(selecting.from)}${some}${ofAttributes(selecting)}`;
    slices.push(...(await readSessionSlices(on, { ...selecting, where }, wanted)));
  };
  if (spans.length > 0) await read(beganIn(spans));
  if (changed.size > 0) await read(isListed(selecting.table, listedOn(selecting, [...changed.keys()])));
  const packed = await readParts(on, selecting, parts, { columns, cache });
  const days = daysOf(parts).map((day): OpenDay => {
    const newestFirst = packed.filter((part) => part.day === day);
    return { day, newestFirst, changed: changed.get(day) ?? NO_KEYS };
  });
  return { days, onKeys: filtersOnSorted(selecting.filters), slices };
}

const daysOf = (parts: readonly ListedPart[]): readonly number[] => [...new Set(parts.map(({ day }) => day))];

function beganIn(spans: readonly TimeRange[]): Sql {
  const began = spans.map(({ from, to }) => sql`s.first_at >= ${instant(from)} and s.first_at < ${instant(to)}`);
  return sql` and (${joinSql(began, ' or ')})`;
}

/** Rows `c` of `session_changes`. */
const listedOn = ({ website }: Selecting, days: readonly number[]): Sql =>
  sql`c.website = ${website} and c.day - '1970-01-01'::date = any(${[...days]}::integer[])`;

/** The time up to the end of a range that some days, which are in order, leave. */
function openSpans(days: Int32Array, end: number): readonly TimeRange[] {
  const begins = [0, ...Array.from(days, (day) => (day + 1) * DAY_MS)];
  const ends = [...Array.from(days, (day) => day * DAY_MS), end];
  return begins.map((from, at) => ({ from, to: Math.min(ends[at] ?? end, end) })).filter(({ from, to }) => from < to);
}

/** Only what is quick to decide: what is read is selected like all sessions. */
const ofAttributes = ({ filters }: Selecting): Sql =>
  conditionsFor(
    filters.filter((filter) => alternativesOf(filter).every(({ field }) => attributeNamed(field)?.of === 'session')),
    (each) => matches(identifier('s', each.field), each),
  );

interface ListedPart {
  readonly day: number;
  /** A bigint. */
  readonly number: string;
  readonly size: number;
  readonly lastAt: number;
}

/** The parts of open days, those of a day together and the newest first. */
const listParts = (on: Queryable, { table, website, to }: Selecting): Promise<readonly ListedPart[]> =>
  run<ListedPart>(
    on,
    sql`select day - '1970-01-01'::date as day, number::text, size, (extract(epoch from last_at) * 1000)::float8 as "lastAt"
      from ${table(sessionParts)} join ${table(sessionDayStates)} d using (website, day)
      where website = ${website} and day <= (${instant(to - 1)} at time zone 'UTC')::date
        and not d.is_sealed and d.unlisted = d.parts_of
      order by day, number desc`,
  );

/** Without those before which no part of the day has a session that reaches over this time: newer ones say what is older in them. */
const reaching = (parts: readonly ListedPart[], from: number): readonly ListedPart[] =>
  parts.filter(({ day, number }) => {
    const older = parts.filter((other) => other.day === day && Number(other.number) <= Number(number));
    return older.some(({ lastAt }) => lastAt >= from);
  });

async function readChangedKeys(
  on: Queryable,
  selecting: Selecting,
  days: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  const keys = listedKeys(selecting.table, listedOn(selecting, days));
  const rows = await run<{ day: number; keys: string }>(
    on,
    sql`select day - '1970-01-01'::date as day, encode(string_agg(key, ''::bytea), 'base64') as keys from (${keys}) k group by 1`,
  );
  return new Map(rows.map(({ day, keys }) => [day, Buffer.from(keys, 'base64')]));
}

interface ReadPart extends ListedPart {
  readonly columns: Map<PartColumn, Uint8Array>;
}

/** The parts with these columns. */
async function readParts(
  on: Queryable,
  { table, website, targetId }: Selecting,
  parts: readonly ListedPart[],
  { columns, cache }: { readonly columns: readonly PartColumn[]; readonly cache: ColumnCache },
): Promise<readonly ReadPart[]> {
  const read = parts.map((part): ReadPart => ({ ...part, columns: new Map() }));
  const wanted = read.flatMap((part) =>
    columns.map((column) => ({ key: `${targetId} ${part.day} ${part.number}`, part, column })),
  );
  const found = await readThrough(cache, wanted, async (lacking) => {
    const some = {
      days: lacking.map(({ part }) => part.day),
      numbers: lacking.map(({ part }) => part.number),
      names: lacking.map(({ column }) => column),
    };
    const rows = await run<PartOfPart>(on, lackingSql(table(sessionParts), website, columns, some));
    const joined = await joinParts(rows, ({ number, name }) => `${number} ${name}`);
    return ({ part, column }) => joined.get(`${part.number} ${column}`);
  });
  for (const [{ part, column }, bytes] of found) part.columns.set(column, bytes);
  return read;
}

interface PartOfPart extends CachedColumnPart {
  readonly number: string;
  readonly name: PartColumn;
}

/** A null column is a byte 0. */
function lackingSql(
  table: Sql,
  website: number,
  columns: readonly PartColumn[],
  {
    days,
    numbers,
    names,
  }: { readonly days: readonly number[]; readonly numbers: readonly string[]; readonly names: readonly string[] },
): Sql {
  const cases = columns.map((name) => sql`when ${name}::text then ${identifier('p', name)}`);
  return sql`
select w.number::text as number, w.name, ${selectPartSql(sql`c.bytes`)}
from unnest(${days}::integer[], ${numbers}::bigint[], ${names}::text[]) as w(day, number, name)
cross join lateral (
  select coalesce(case w.name ${joinSql(cases, ' ')} end, '\\x00'::bytea) || ''::bytea as bytes from ${table} p
  where p.website = ${website} and p.day = '1970-01-01'::date + w.day and p.number = w.number offset 0
) c
cross join lateral ${beginsOf(sql`c.bytes`)}`;
}
