import { type Sql, identifier, integers, joinSql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { LRUCache } from 'lru-cache';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { readIntegers } from '@ledgerline/contracts/read-models/binary-format';
import { type Queryable, runPrepared } from '@ledgerline/platform/database/pool';
import type { QueryContext } from '../declaration/query-context';
import type { RollupBytes, RollupParts } from '@ledgerline/aggregation/aggregation';

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

  get limit(): number {
    return this.bytes?.maxSize ?? 0;
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

/** A column of what has a key in the cache. */
interface WantedColumn {
  readonly key: string;
  readonly column: string;
}

/**
 * The bytes of columns: what the cache lacks of them is read at once and kept there.
 * @throws Error for a column that went away meanwhile, as without a snapshot it may
 */
export async function readThrough<Of extends WantedColumn>(
  cache: ColumnCache,
  wanted: Iterable<Of>,
  read: (lacking: readonly Of[]) => Promise<(of: Of) => Uint8Array | undefined>,
): Promise<ReadonlyMap<Of, Uint8Array>> {
  const [found, lacking, pause] = [new Map<Of, Uint8Array>(), [] as Of[], yieldToEventLoop()];
  for (const each of wanted) {
    const bytes = cache.get(each.key, each.column);
    if (bytes) found.set(each, bytes);
    else lacking.push(each);
    await pause();
  }
  const bytesOf = lacking.length === 0 ? undefined : await read(lacking);
  for (const each of lacking) {
    const bytes = bytesOf?.(each);
    if (!bytes) throw new Error(`The column ${each.column} has gone.`);
    found.set(each, bytes);
    cache.set(each.key, each.column, bytes);
  }
  return found;
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
export interface RollupRead extends Pick<RollupParts, 'since' | 'until' | 'byDay'> {
  readonly names: ReadonlySet<string>;
}

/** Smaller packs are counted sooner than what the range counts of them is kept. */
export const LEAST_TO_COLLAPSE = 16_384;

/** Beside the key of a pack: the name of what a range counts of it. */
export const collapsedName = (
  name: string,
  { since, until }: { readonly since: number; readonly until: number },
): string => `${name} ${since} ${until}`;

/** Beside the website: which packs a range counts as one. */
export const collapsedNumbers = (name: string, range: Parameters<typeof collapsedName>[1]): string =>
  `${collapsedName(name, range)} of`;

/** In memory, with the name of a count. */
export const keyOfPacks = (of: string, numbers: readonly string[]): string => `${of} ${numbers.join(' ')}`;

/** Whose they are. */
export type RollupsOf = Pick<QueryContext, 'table' | 'rollups' | 'website' | 'link'>;

/** The kept counts of each range, all of one snapshot. @throws as {@link readThrough} */
export async function readRollupParts(
  on: Queryable,
  of: RollupsOf,
  ranges: readonly RollupRead[],
  cache: ColumnCache,
): Promise<readonly RollupParts[]> {
  const rows = await listRows(on, of, ranges);
  const name = nameOf(of);
  const wanted = ranges.map((range) => {
    const own = rows.filter((row) => row.until >= range.since && row.since <= range.until);
    return { range, own, aggregated: preAggregatedOf(name, range, own, cache) };
  });
  const columns = new Map<string, ColumnOfRow>();
  for (const { range, own, aggregated } of wanted)
    for (const { number } of own)
      for (const column of range.names)
        if (!aggregated.rows.has(`${number} ${column}`))
          columns.set(`${number} ${column}`, { key: keyOfPacks(name, [number]), number, column });
  const found = await readThrough(cache, columns.values(), (lacking) => readLacking(on, of, lacking));
  return wanted.map(({ range: { since, until, names, byDay }, own, aggregated }) => {
    const packsOf = (count: string): readonly RollupBytes[] => [
      ...(aggregated.packs.get(count) ?? []),
      ...own.flatMap(({ number }) => {
        const column = aggregated.rows.has(`${number} ${count}`) ? undefined : columns.get(`${number} ${count}`);
        const bytes = column && found.get(column);
        return bytes && bytes.length > 0 ? [{ numbers: [number], bytes, isByDay: true }] : [];
      }),
    ];
    const packs = Object.fromEntries(Array.from(names, (count) => [count, packsOf(count)]));
    return { since, until, of: name, byDay, packs };
  });
}

const nameOf = ({ link, website }: RollupsOf): string => `${link} ${website}`;

/** What the range counts of rows, where that is kept: of several of them together, and of others one by one. */
function preAggregatedOf(of: string, range: RollupRead, own: readonly RollupRow[], cache: ColumnCache) {
  const [packs, rows] = [new Map<string, RollupBytes[]>(), new Set<string>()];
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

interface RollupRow {
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
async function listRows(on: Queryable, of: RollupsOf, ranges: readonly RollupRead[]): Promise<readonly RollupRow[]> {
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

interface RollupColumnPart extends Part {
  readonly number: string;
  readonly name: string;
}

interface ColumnOfRow extends WantedColumn {
  readonly number: string;
}

/** The bytes of columns of rows; none of a null. */
async function readLacking(on: Queryable, of: RollupsOf, wanted: readonly ColumnOfRow[]) {
  const [numbers, names] = [wanted.map(({ number }) => number), wanted.map(({ column }) => column)];
  const table = of.table(websiteRollups);
  const parts = await runPrepared<RollupColumnPart>(
    on,
    `${of.rollups.size} columns of ${table.text}`,
    lackingSql(table, of, { numbers, names }),
  );
  const joined = await joinParts(parts, ({ number, name }) => `${number} ${name}`);
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
select w.number::text as number, w.name, ${partOf(sql`c.bytes`)}
from unnest(${numbers}::bigint[], ${names}::text[]) as w(number, name)
cross join lateral (
  select coalesce(case w.name ${columns(rollups)} end, ''::bytea) || ''::bytea as bytes from ${table} k
  where k.website = ${website} and k.number = w.number offset 0
) c
cross join lateral ${beginsOf(sql`c.bytes`)}`;

const columns = (rollups: RollupsOf['rollups']): Sql =>
  joinSql(
    Array.from(rollups, (name) => sql`when ${name}::text then ${identifier('k', name)}`),
    ' ',
  );
