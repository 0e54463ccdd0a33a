import {
  ARRAY_HEADER,
  arrayLengthAt,
  elementsAt,
  writeArrayHeader,
} from '@ledgerline/contracts/read-models/binary-format';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';

/**
 * The value of a `histogram` column: each bin and its count in turn, sorted by bin; in a difference between two of them
 * counts may be negative. Both are integers of 32 bits.
 */
export type Histogram = readonly number[];

/** The counts of both, bin by bin, those of the second times a sign. */
export function addHistograms(a: Histogram, b: Histogram, sign: 1 | -1 = 1): Histogram {
  if (b.length === 0) return a;
  const sum: number[] = [];
  let left = 0;
  let right = 0;
  while (left < a.length || right < b.length) {
    const first = a[left] ?? Infinity;
    const second = b[right] ?? Infinity;
    const bin = Math.min(first, second);
    let count = 0;
    if (first === bin) {
      count += a[left + 1] ?? 0;
      left += 2;
    }
    if (second === bin) {
      count += sign * (b[right + 1] ?? 0);
      right += 2;
    }
    if (count !== 0) sum.push(bin, count);
  }
  return sum;
}

/** Postgres adds the entries of `excluded` to those of `old`. */
export const mergedHistogram = (
  column: string,
): string => `case when excluded.${column} = '{}' then old.${column} else (
      select coalesce(array_agg((bin << 32) + count order by bin), '{}')
      from (
        select bin, sum((entry - (bin << 32))::integer) as count
        from (select entry, (entry + ${2 ** 31}) >> 32 as bin from unnest(old.${column} || excluded.${column}) entry) entries
        group by bin
      ) bins where count <> 0
    ) end`;

/** Bytes of the length that precedes an entry. */
const LENGTH = 4;
/** Bytes of an entry with its length. */
const ENTRY = 12;

/** Histograms laid end to end as one array of stored entries, `bin * 2^32 + count`, in the binary format of Postgres. */
export function binaryHistograms(histograms: readonly Histogram[]): Buffer {
  const size = histograms.reduce((sum, { length }) => sum + length / 2, 0);
  const binary = Buffer.alloc(elementsAt(0, size) + size * ENTRY);
  writeArrayHeader(binary, 0, BIGINT, size, false);
  let at = ARRAY_HEADER;
  for (const histogram of histograms) {
    for (let place = 0; place < histogram.length; place += 2) {
      const bin = histogram[place] ?? 0;
      const count = histogram[place + 1] ?? 0;
      at = binary.writeInt32BE(ENTRY - LENGTH, at);
      at = binary.writeInt32BE(count < 0 ? bin - 1 : bin, at);
      at = binary.writeInt32BE(count, at);
    }
  }
  return binary;
}

const BIGINT = 20;

/** Each bin and its count of stored histograms that were sent by `array_send` and laid end to end. */
export function eachEntry(binary: Buffer, visit: (bin: number, count: number) => void): void {
  let at = 0;
  while (at < binary.length) {
    const size = arrayLengthAt(binary, at);
    at = elementsAt(at, size);
    for (const end = at + size * ENTRY; at < end; at += ENTRY) {
      visit(binary.readInt32BE(at + LENGTH), binary.readUInt32BE(at + LENGTH + 4));
    }
  }
}

/**
 * The value of a column of a row: a timestamptz in epoch ms, a date in days since 1970-01-01 (-Infinity = `-infinity`),
 * a uuid as 32 hex digits, a bytea as hex digits, jsonb as its text, a tsvector as its different words; everything else
 * as it is.
 */
export type Value = number | string | boolean | null | readonly (number | string)[];

export type ReadModelRow<Model extends ReadModel = ReadModel> = Readonly<
  Record<keyof Model['columns'] & string, Value>
>;

/** The columns of a model by how they are merged, each in declared order. */
interface ColumnMergeRoles {
  readonly names: readonly string[];
  readonly keys: readonly string[];
  /** The keys, those of which there are few different values first. */
  readonly keysByVariety: readonly string[];
  readonly sums: readonly string[];
  readonly mins: readonly string[];
  readonly maxes: readonly string[];
  readonly lasts: readonly { readonly name: string; readonly by: string | undefined }[];
  readonly histograms: readonly string[];
}

/** TRICKY: a map for each of few values, and then a large one, takes far less time and memory than the other way round. */
const TYPES_BY_VARIETY: readonly string[] = ['smallint', 'date', 'integer', 'timestamptz', 'text', 'uuid'];

const algebras = new WeakMap<ReadModel, ColumnMergeRoles>();

export function mergeRolesOf(model: ReadModel): ColumnMergeRoles {
  const known = algebras.get(model);
  if (known) return known;
  const columns = Object.entries(model.columns);
  const named = (merge: string) => columns.filter(([, column]) => column.merge === merge).map(([name]) => name);
  const lasts = columns.filter(([, column]) => column.merge === 'last').map(([name, { by }]) => ({ name, by }));
  const names = columns.map(([name]) => name);
  const mins = named('min');
  const maxes = named('max');
  const histograms = named('histogram');
  const keys = named('key');
  const variety = (name: string) => TYPES_BY_VARIETY.indexOf(model.columns[name]?.type ?? '');
  const keysByVariety = [...keys].sort((a, b) => variety(a) - variety(b));
  const algebra = { names, keys, keysByVariety, sums: named('sum'), mins, maxes, lasts, histograms };
  algebras.set(model, algebra);
  return algebra;
}

/** One level per key column; the last one holds the rows. */
type Level = Map<Value | undefined, Level | MutableRow>;
type MutableRow = Record<string, Value>;

/** Rows of one model, of which there is one per key: a row that comes later is merged by the columns' algebra. */
export class FoldedRows {
  private readonly root: Level = new Map();
  private readonly rows: MutableRow[] = [];
  private readonly algebra: ColumnMergeRoles;
  private readonly keys: readonly string[];

  constructor(readonly model: ReadModel) {
    this.algebra = mergeRolesOf(model);
    this.keys = this.algebra.keysByVariety;
  }

  /** Takes the row over: it must not be used by the caller any more. */
  add(row: ReadModelRow): void {
    const { keys } = this;
    let level = this.root;
    for (let depth = 0; depth < keys.length - 1; depth++) level = below(level, row[keys[depth] as string]);
    const key = row[keys[keys.length - 1] as string];
    const known = level.get(key) as MutableRow | undefined;
    if (known) {
      merge(known, row, this.algebra);
    } else {
      level.set(key, row);
      this.rows.push(row);
    }
  }

  get size(): number {
    return this.rows.length;
  }

  /** The row with the key of this one. */
  find(row: ReadModelRow): ReadModelRow | undefined {
    let at: Level | MutableRow | undefined = this.root;
    for (const key of this.keys) at = (at as Level | undefined)?.get(row[key]);
    return at as MutableRow | undefined;
  }

  values(): readonly ReadModelRow[] {
    return this.rows;
  }
}

function below(level: Level, key: Value | undefined): Level {
  let next = level.get(key) as Level | undefined;
  if (!next) level.set(key, (next = new Map()));
  return next;
}

/**
 * Returns what has to be merged into a table that holds `before` so that it holds `after`: sums and histograms are
 * subtracted; min, max and last, which only ever grow, are those of `after`. Rows that would change nothing are left
 * out.
 */
export function differenceRows(before: FoldedRows, after: FoldedRows): readonly ReadModelRow[] {
  if (before.size === 0) return after.values();
  const algebra = mergeRolesOf(after.model);
  const rows: ReadModelRow[] = [];
  for (const row of after.values()) {
    const old = before.find(row);
    if (!old) rows.push(row);
    else if (algebra.names.some((name) => !isSame(row[name], old[name]))) rows.push(minus(row, old, algebra));
  }
  for (const old of before.values()) if (!after.find(old)) rows.push(minus(undefined, old, algebra));
  return rows;
}

function merge(into: MutableRow, row: ReadModelRow, { sums, mins, maxes, lasts, histograms }: ColumnMergeRoles): void {
  for (const { name, by } of lasts) {
    if (by === undefined || greater(row[by], into[by])) into[name] = row[name] ?? null;
  }
  for (const name of sums) into[name] = (into[name] as number) + (row[name] as number);
  for (const name of histograms) into[name] = addHistograms(into[name] as Histogram, row[name] as Histogram);
  for (const name of mins) if (greater(into[name], row[name])) into[name] = row[name] ?? null;
  for (const name of maxes) if (greater(row[name], into[name])) into[name] = row[name] ?? null;
}

function minus(row: ReadModelRow | undefined, old: ReadModelRow, { sums, histograms }: ColumnMergeRoles): ReadModelRow {
  const result: MutableRow = { ...(row ?? old) };
  for (const name of sums) result[name] = ((row?.[name] ?? 0) as number) - (old[name] as number);
  for (const name of histograms) {
    result[name] = addHistograms((row?.[name] ?? []) as Histogram, old[name] as Histogram, -1);
  }
  return result;
}

function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return a === b;
  return a.length === b.length && a.every((element, at) => element === b[at]);
}

/** Returns whether a row adds something: for tables whose rows are differences, without columns that only grow. */
export const addsSomething = (row: ReadModelRow, { sums, histograms }: ColumnMergeRoles): boolean =>
  sums.some((name) => row[name] !== 0) || histograms.some((name) => (row[name] as Histogram).length > 0);

/** Returns whether one value of a min or max column is greater than another; both are numbers or both texts. */
const greater = (a: Value | undefined, b: Value | undefined): boolean => (a as number) > (b as number);
