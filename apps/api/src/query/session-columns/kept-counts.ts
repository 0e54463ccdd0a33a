import { type Sql, identifier, joinSql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { LRUCache } from 'lru-cache';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { integers, readIntegers } from '@ledgerline/platform/database/binary-format';
import { type Queryable, runPrepared } from '@ledgerline/platform/database/pool';
import type { QueryContext } from '../declaration/query-context';
import { type KeptBytes, type KeptPacks, collapsedName, collapsedNumbers, keyOfPacks } from './counting-worker';

/** Of an entry beside its bytes: its key and place in the cache. */
const OVERHEAD = 256;
const MIB = 1024 * 1024;

/** The bytes of columns of sealed days and of kept counts. A key names the content, so none is ever stale. */
export class ColumnCache {
  private readonly bytes: LRUCache<string, Uint8Array> | undefined;
  hits = 0;
  misses = 0;

  /** @param mib of memory in all; 0 = nothing is kept */
  constructor(mib: number) {
    if (mib === 0) return;
    this.bytes = new LRUCache({ maxSize: mib * MIB, sizeCalculation: ({ byteLength }) => byteLength + OVERHEAD });
  }

  get size(): number {
    return this.bytes?.calculatedSize ?? 0;
  }

  get(key: string, column: string): Uint8Array | undefined {
    const found = this.bytes?.get(`${key} ${column}`);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** The same, where it is no matter whether it is there. */
  find(key: string, column: string): Uint8Array | undefined {
    return this.bytes?.get(`${key} ${column}`);
  }

  set(key: string, column: string, bytes: Uint8Array): void {
    this.bytes?.set(`${key} ${column}`, bytes);
  }
}

/** A part of the bytes of a column. */
export interface Part {
  /** Of the whole column. */
  readonly length: number;
  readonly begin: number;
  readonly bytes: string;
}

/** TRICKY: the event loop is held for a part at once, by the driver and here; its bytes are base64, as the driver reads text. */
const PART_BYTES = 192 * 1024;

/** What is selected of these bytes for a part, which begins at a row of {@link beginsOf}. */
export const partOf = (bytes: Sql): Sql => sql`octet_length(${bytes}) as length, begin,
  encode(substr(${bytes}, begin + 1, ${PART_BYTES}::int), 'base64') as bytes`;

/** One row of nothing. */
export const beginsOf = (bytes: Sql): Sql =>
  sql`generate_series(0, greatest(octet_length(${bytes}) - 1, 0), ${PART_BYTES}::int) as begin`;

/** TRICKY: sharing memory with threads costs more than copying so few bytes. */
const LEAST_SHARED = 1024;

/** The bytes of each key, in memory that threads share. */
export async function joinParts<Of extends Part>(
  parts: readonly Of[],
  keyOf: (part: Of) => string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const [joined, pause] = [new Map<string, Uint8Array>(), yieldToEventLoop()];
  for (const part of parts) {
    const [key, { length, begin, bytes }] = [keyOf(part), part];
    const whole =
      joined.get(key) ??
      new Uint8Array(length < LEAST_SHARED ? new ArrayBuffer(length) : new SharedArrayBuffer(length));
    whole.set(Buffer.from(bytes, 'base64'), begin);
    joined.set(key, whole);
    await pause();
  }
  return joined;
}

/** What is wanted of kept counts: some of them, of the days of a range. */
export interface KeptRange extends Pick<KeptPacks, 'since' | 'until' | 'byDay'> {
  readonly names: ReadonlySet<string>;
}

/** Whose they are. */
export type KeptOf = Pick<QueryContext, 'table' | 'rollups' | 'website' | 'link'>;

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
  const table = of.table(websiteRollups);
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
  const table = of.table(websiteRollups);
  const parts = await runPrepared<KeptPart>(
    on,
    `${of.rollups.size} columns of ${table.text}`,
    lackingSql(table, of, { numbers, names }),
  );
  return joinParts(parts, ({ number, name }) => `${number} ${name}`);
}

/**
 * TRICKY: one statement for all columns, so that a connection plans it once. The offset keeps Postgres from joining in
 * another way than by key, and the appended nothing from reading a column once for each of its parts.
 */
const lackingSql = (
  table: Sql,
  { website, rollups }: KeptOf,
  { numbers, names }: { readonly numbers: readonly string[]; readonly names: readonly string[] },
): Sql => sql`
select w.number::text as number, w.name, ${partOf(sql`c.bytes`)}
from unnest(${numbers}::bigint[], ${names}::text[]) as w(number, name)
cross join lateral (
  select coalesce(case w.name ${columns(rollups)} end, ''::bytea) || ''::bytea as bytes from ${table} k
  where k.website = ${website} and k.number = w.number offset 0
) c
cross join lateral ${beginsOf(sql`c.bytes`)}`;

const columns = (rollups: KeptOf['rollups']): Sql =>
  joinSql(
    Array.from(rollups, (name) => sql`when ${name}::text then ${identifier('k', name)}`),
    ' ',
  );
