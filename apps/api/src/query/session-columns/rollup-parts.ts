import type { RollupBytes, RollupParts } from '@ledgerline/aggregation/aggregation';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { readIntegers } from '@ledgerline/contracts/read-models/binary-format';
import { type Queryable, run, runPrepared } from '@ledgerline/platform/database/pool';
import { type Sql, identifier, integers, joinSql, sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../declaration/query-context';
import {
  beginsOf,
  type ColumnCache,
  joinParts,
  type CachedColumnPart,
  selectPartSql,
  readThrough,
  type WantedColumn,
} from './column-cache';

/** The rollups that are wanted of the days of a range. */
export interface RollupRead extends Pick<RollupParts, 'since' | 'until' | 'byDay'> {
  readonly names: ReadonlySet<string>;
}

type DayRange = Pick<RollupParts, 'since' | 'until'>;

/** The key of parts in the cache; a column is a rollup, or {@link preAggregateColumn}. */
export const keyOfParts = (of: string, numbers: readonly string[]): string => `${of} ${numbers.join(' ')}`;

/** The column of what parts of a rollup were pre-aggregated into over a range. */
export const preAggregateColumn = (rollup: string, { since, until }: DayRange): string => `${rollup} ${since} ${until}`;

/** The column, by website, of the numbers of the parts that were pre-aggregated together over a range. */
export const preAggregatedNumbers = (rollup: string, range: DayRange): string =>
  `${preAggregateColumn(rollup, range)} of`;

/** The parts of a website, as all of them are in one snapshot. */
type RollupsOf = Pick<QueryContext, 'table' | 'rollups' | 'website' | 'targetId' | 'expired'>;

/** The parts of rollups of each range, all of one snapshot. @throws as {@link readThrough} */
export async function readRollupParts(
  on: Queryable,
  of: RollupsOf,
  ranges: readonly RollupRead[],
  cache: ColumnCache,
): Promise<readonly RollupParts[]> {
  const rows = await listRows(on, of, ranges);
  const name = `${of.targetId} ${of.website}`;
  const wanted = ranges.map((range) => {
    const own = rows.filter((row) => row.until >= range.since && row.since <= range.until);
    return { range, own, aggregated: findPreAggregates(name, range, own, cache) };
  });
  const columns = new Map<string, ColumnOfRow>();
  for (const { range, own, aggregated } of wanted)
    for (const { number, only } of own)
      for (const rollup of only === undefined ? range.names : [only])
        if (range.names.has(rollup) && !aggregated.rows.has(`${number} ${rollup}`)) {
          const isExpired = only !== undefined;
          columns.set(`${number} ${rollup}`, { key: keyOfParts(name, [number]), number, column: rollup, isExpired });
        }
  const bytesOf = await readThrough(cache, columns.values(), (lacking) => readLacking(on, of, lacking));
  return wanted.map(({ range: { since, until, names, byDay }, own, aggregated }) => {
    const partsOf = (rollup: string): readonly RollupBytes[] => [
      ...(aggregated.parts.get(rollup) ?? []),
      ...own.flatMap(({ number }) => {
        const column = aggregated.rows.has(`${number} ${rollup}`) ? undefined : columns.get(`${number} ${rollup}`);
        const bytes = column && bytesOf.get(column);
        return bytes && bytes.length > 0 ? [{ numbers: [number], bytes, isByDay: true }] : [];
      }),
    ];
    const packs = Object.fromEntries(Array.from(names, (rollup) => [rollup, partsOf(rollup)]));
    return { since, until, of: name, byDay, packs };
  });
}

/**
 * Returns what rows were pre-aggregated into over the range, where the cache has it: several of them together, others
 * one by one.
 */
function findPreAggregates(of: string, range: RollupRead, own: readonly RollupRow[], cache: ColumnCache) {
  const parts = new Map<string, RollupBytes[]>();
  const rows = new Set<string>();
  const present = new Set(own.map(({ number }) => number));
  const add = (rollup: string, numbers: readonly string[]) => {
    if (numbers.some((number) => !present.has(number) || rows.has(`${number} ${rollup}`))) return;
    const bytes = cache.find(keyOfParts(of, numbers), preAggregateColumn(rollup, range));
    if (!bytes) return;
    parts.set(rollup, [...(parts.get(rollup) ?? []), { numbers, bytes, isByDay: false }]);
    for (const number of numbers) rows.add(`${number} ${rollup}`);
  };
  for (const rollup of range.names) {
    if (range.byDay.has(rollup)) continue;
    const together = cache.find(of, preAggregatedNumbers(rollup, range));
    if (together) add(rollup, Buffer.from(together).toString().split(' '));
    for (const number of present) add(rollup, [number]);
  }
  return { parts, rows };
}

/** Bytes of a part: smaller ones are added up sooner than what they were pre-aggregated into is found. */
const LEAST_TO_PRE_AGGREGATE = 16_384;

/** Pre-aggregates the large parts of a rollup over their range into the cache: one by one, and all together. */
export async function preAggregateParts(
  { since, until, of, packs }: RollupParts,
  rollup: string,
  cache: ColumnCache,
  preAggregate: (range: DayRange & { readonly name: string; readonly packs: Uint8Array[] }) => Promise<Uint8Array>,
): Promise<void> {
  const column = preAggregateColumn(rollup, { since, until });
  const aggregated = async (parts: readonly RollupBytes[]) => {
    const numbers = parts.flatMap((part) => part.numbers);
    const key = keyOfParts(of, numbers);
    const known = cache.find(key, column);
    if (known) return { numbers, bytes: known, isByDay: false };
    const bytes = await preAggregate({ name: rollup, since, until, packs: parts.map((part) => part.bytes) });
    cache.set(key, column, bytes);
    return { numbers, bytes, isByDay: false };
  };
  const large: RollupBytes[] = [];
  for (const part of packs[rollup] ?? [])
    if (part.bytes.length >= LEAST_TO_PRE_AGGREGATE) large.push(part.isByDay ? await aggregated([part]) : part);
  if (large.length < 2) return;
  const { numbers } = await aggregated(large);
  cache.set(of, preAggregatedNumbers(rollup, { since, until }), Buffer.from(numbers.join(' ')));
}

interface RollupRow {
  /** Names its content. */
  readonly number: string;
  readonly since: number;
  readonly until: number;
  /** The one rollup that expired days have. */
  readonly only?: string;
}

interface Listed {
  readonly numbers: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** All rows that have numbers of a day from the first to the last one of all ranges. */
async function listRows(on: Queryable, of: RollupsOf, ranges: readonly RollupRead[]): Promise<readonly RollupRow[]> {
  const since = ranges.reduce((day, range) => Math.min(day, range.since), Infinity);
  const until = ranges.reduce((day, range) => Math.max(day, range.until), -Infinity);
  const table = of.table(websiteRollups);
  const query = sql`
select string_agg(number::text, ' ') as numbers, ${integers(sql`since`)} as since, ${integers(sql`until`)} as until
from ${table} where website = ${of.website} and until >= ${since}::int and since <= ${until}::int`;
  const [listed] = await runPrepared<Listed>(on, `rows of ${table.text}`, query);
  const expired = of.expired
    ? await run<RollupRow>(
        on,
        sql`select number::text, rollup as only, since, until from expired_rollups
          where website_id = ${of.targetId} and until >= ${since}::int and since <= ${until}::int`,
      )
    : [];
  if (!listed?.numbers) return expired;
  const firsts = readIntegers(listed.since);
  const lasts = readIntegers(listed.until);
  const rows = listed.numbers
    .split(' ')
    .map((number, row) => ({ number, since: firsts[row] as number, until: lasts[row] as number }));
  return [...rows, ...expired];
}

interface RollupColumnPart extends CachedColumnPart {
  readonly number: string;
  readonly name: string;
}

interface ColumnOfRow extends WantedColumn {
  readonly number: string;
  readonly isExpired: boolean;
}

/** The bytes of columns of rows; none of a null. */
async function readLacking(on: Queryable, of: RollupsOf, wanted: readonly ColumnOfRow[]) {
  const expired = wanted.filter(({ isExpired }) => isExpired);
  const live = wanted.filter(({ isExpired }) => !isExpired);
  const numbers = live.map(({ number }) => number);
  const names = live.map(({ column }) => column);
  const table = of.table(websiteRollups);
  const parts = await runPrepared<RollupColumnPart>(
    on,
    `${of.rollups.size} columns of ${table.text}`,
    lackingSql(table, of, { numbers, names }),
  );
  const ofExpired = expired.length > 0 ? await run<RollupColumnPart>(on, expiredSql(of, expired)) : [];
  const joined = await joinParts([...parts, ...ofExpired], ({ number, name }) => `${number} ${name}`);
  return ({ number, column }: ColumnOfRow) => joined.get(`${number} ${column}`);
}

/**
 * TRICKY: one statement for all columns, so that a connection plans it once. The offset keeps Postgres from joining in
 * another way than by key, and the appended nothing from reading a column once for each of its parts.
 */
const lackingSql = (
  table: Sql,
  { website, rollups }: RollupsOf,
  { numbers, names }: { readonly numbers: readonly string[]; readonly names: readonly string[] },
): Sql => sql`
select w.number::text as number, w.name, ${selectPartSql(sql`c.bytes`)}
from unnest(${numbers}::bigint[], ${names}::text[]) as w(number, name)
cross join lateral (
  select coalesce(case w.name ${columns(rollups)} end, ''::bytea) || ''::bytea as bytes from ${table} k
  where k.website = ${website} and k.number = w.number offset 0
) c
cross join lateral ${beginsOf(sql`c.bytes`)}`;

const expiredSql = ({ targetId }: RollupsOf, wanted: readonly ColumnOfRow[]): Sql => sql`
select number::text, rollup as name, ${selectPartSql(sql`r.bytes`)}
from expired_rollups r cross join lateral ${beginsOf(sql`r.bytes`)}
where website_id = ${targetId} and number = any(${wanted.map(({ number }) => number)}::bigint[])`;

const columns = (rollups: RollupsOf['rollups']): Sql =>
  joinSql(
    Array.from(rollups, (name) => sql`when ${name}::text then ${identifier('k', name)}`),
    ' ',
  );
