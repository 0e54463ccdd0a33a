import { KEPT_COUNT_NAMES, keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { integers, readIntegers } from '@ledgerline/platform/database/binary-format';
import { runPrepared, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { QueryContext } from '../query-type';
import { beginsOf, joinParts, partOf, type ColumnCache, type Part } from './column-bytes';
import { collapsedName, collapsedNumbers, keyOfPacks, type KeptBytes, type KeptPacks } from './counting-worker';

/** What is wanted of kept counts: some of them, of the days of a range. */
export interface KeptRange extends Pick<KeptPacks, 'since' | 'until' | 'byDay'> {
  readonly names: ReadonlySet<string>;
}

/** Whose they are. */
export type KeptOf = Pick<QueryContext, 'table' | 'website' | 'link'>;

/**
 * The kept counts of each range, all of one snapshot: what the cache lacks of them is read at once and kept there.
 * @throws Error where a row went away meanwhile, as without a snapshot it may
 */
export async function readKeptCounts(
  on: Queryable,
  of: KeptOf,
  ranges: readonly KeptRange[],
  cache: ColumnCache,
): Promise<readonly KeptPacks[]> {
  const rows = await listRows(on, of, ranges);
  const pause = yieldToEventLoop();
  const name = nameOf(of);
  const wanted = ranges.map((range) => {
    const own = rows.filter((row) => row.until >= range.since && row.since <= range.until);
    return { range, own, collapsed: collapsedOf(name, range, own, cache) };
  });
  const found = new Map<string, Uint8Array>();
  const lacking = new Map<string, { readonly number: string; readonly name: string }>();
  for (const { range, own, collapsed } of wanted) {
    for (const { number } of own) {
      for (const count of range.names) {
        const key = `${number} ${count}`;
        if (collapsed.rows.has(key) || found.has(key) || lacking.has(key)) continue;
        const bytes = cache.get(keyOfPacks(name, [number]), count);
        if (bytes) found.set(key, bytes);
        else lacking.set(key, { number, name: count });
      }
    }
    await pause();
  }
  if (lacking.size > 0) {
    const read = await readLacking(on, of, [...lacking.values()]);
    for (const [key, { number, name: count }] of lacking) {
      const bytes = read.get(key);
      if (!bytes) throw new Error(`What is kept of ${count} has gone.`);
      found.set(key, bytes);
      cache.set(keyOfPacks(name, [number]), count, bytes);
    }
  }
  return wanted.map(({ range: { since, until, names, byDay }, own, collapsed }) => {
    const packsOf = (count: string): readonly KeptBytes[] => [
      ...(collapsed.packs.get(count) ?? []),
      ...own.flatMap(({ number }) => {
        const bytes = collapsed.rows.has(`${number} ${count}`) ? undefined : found.get(`${number} ${count}`);
        return bytes && bytes.length > 0 ? [{ numbers: [number], bytes, isByDay: true }] : [];
      }),
    ];
    const packs = Object.fromEntries(Array.from(names, (count) => [count, packsOf(count)]));
    return { since, until, of: name, byDay, packs };
  });
}

const nameOf = ({ link, website }: KeptOf): string => `${link} ${website}`;

/** What the range counts of rows, where that is kept: of several of them together, and of others one by one. */
function collapsedOf(of: string, range: KeptRange, own: readonly KeptRow[], cache: ColumnCache) {
  const [packs, rows] = [new Map<string, KeptBytes[]>(), new Set<string>()];
  const present = new Set(own.map(({ number }) => number));
  const add = (count: string, numbers: readonly string[]) => {
    if (numbers.some((number) => !present.has(number) || rows.has(`${number} ${count}`))) return;
    const bytes = cache.find(keyOfPacks(of, numbers), collapsedName(count, range));
    if (!bytes) return;
    packs.set(count, [...(packs.get(count) ?? []), { numbers, bytes, isByDay: false }]);
    for (const number of numbers) rows.add(`${number} ${count}`);
  };
  for (const count of range.names) {
    if (range.byDay.has(count)) continue;
    const together = cache.find(of, collapsedNumbers(count, range));
    if (together) add(count, Buffer.from(together).toString().split(' '));
    for (const number of present) add(count, [number]);
  }
  return { packs, rows };
}

interface KeptRow {
  /** That names its content. */
  readonly number: string;
  readonly since: number;
  readonly until: number;
}

interface Listed {
  readonly numbers: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

/** All rows that have numbers of a day from the first to the last one of all ranges. */
async function listRows(on: Queryable, of: KeptOf, ranges: readonly KeptRange[]): Promise<readonly KeptRow[]> {
  const since = ranges.reduce((day, range) => Math.min(day, range.since), Infinity);
  const until = ranges.reduce((day, range) => Math.max(day, range.until), -Infinity);
  const table = of.table(keptCounts);
  const query = sql`
select string_agg(number::text, ' ') as numbers, ${integers(sql`since`)} as since, ${integers(sql`until`)} as until
from ${table} where website = ${of.website} and until >= ${since}::int and since <= ${until}::int`;
  const [listed] = await runPrepared<Listed>(on, `rows of ${table.text}`, query);
  if (!listed?.numbers) return [];
  const [firsts, lasts] = [readIntegers(listed.since), readIntegers(listed.until)];
  return listed.numbers
    .split(' ')
    .map((number, row) => ({ number, since: firsts[row] as number, until: lasts[row] as number }));
}

interface KeptPart extends Part {
  readonly number: string;
  readonly name: string;
}

/** The bytes of columns of rows, by number and name; none of a null. */
async function readLacking(
  on: Queryable,
  of: KeptOf,
  wanted: readonly { readonly number: string; readonly name: string }[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const [numbers, names] = [wanted.map(({ number }) => number), wanted.map(({ name }) => name)];
  const table = of.table(keptCounts);
  const parts = await runPrepared<KeptPart>(on, `columns of ${table.text}`, lackingSql(table, of, { numbers, names }));
  return joinParts(parts, ({ number, name }) => `${number} ${name}`);
}

/**
 * TRICKY: one statement for all columns, so that a connection plans it once. The offset keeps Postgres from joining in
 * another way than by key, and the appended nothing from reading a column once for each of its parts.
 */
const lackingSql = (
  table: Sql,
  { website }: KeptOf,
  { numbers, names }: { readonly numbers: readonly string[]; readonly names: readonly string[] },
): Sql => sql`
select w.number::text as number, w.name, ${partOf(sql`c.bytes`)}
from unnest(${numbers}::bigint[], ${names}::text[]) as w(number, name)
cross join lateral (
  select coalesce(case w.name ${COLUMNS} end, ''::bytea) || ''::bytea as bytes from ${table} k
  where k.website = ${website} and k.number = w.number offset 0
) c
cross join lateral ${beginsOf(sql`c.bytes`)}`;

const COLUMNS: Sql = joinSql(
  KEPT_COUNT_NAMES.map((name) => sql`when ${name}::text then ${identifier('k', name)}`),
  ' ',
);
