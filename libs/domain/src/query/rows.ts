import { isObject } from '@ledgerline/contracts/json';

/** A cell of an answer; deeper values only in lists of single events. */
export type AnswerRow = Readonly<Record<string, unknown>>;

export interface RowOrder {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
  /** The texts of the field in their order; without them texts are in code-point order. */
  readonly values?: readonly string[] | undefined;
  /** The member of a field that is an object that rows are ordered by. */
  readonly member?: string | undefined;
}

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly limit: number;
}

/** For an order that never depends on how the rows were found: by each field in turn, nulls last. */
export const comparingRows =
  (orders: readonly RowOrder[]) =>
  (a: AnswerRow, b: AnswerRow): number => {
    for (const order of orders) {
      const { field, direction, values } = order;
      const sign = direction === 'asc' ? 1 : -1;
      const difference = values
        ? sign * (values.indexOf(textOf(a[field])) - values.indexOf(textOf(b[field])))
        : compareCells(cellOf(a, order), cellOf(b, order), sign);
      if (difference !== 0) return difference;
    }
    return 0;
  };

function cellOf(row: AnswerRow, { field, member }: RowOrder): unknown {
  const cell = row[field];
  if (member === undefined) return cell;
  return isObject(cell) ? cell[member] : undefined;
}

function compareCells(a: unknown, b: unknown, sign: 1 | -1): number {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * compareText(textOf(a), textOf(b));
}

const textOf = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell));

/** By code point, as Postgres does in the C collation; JavaScript's own `<` goes by UTF-16 unit. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const plain = /^[\u0000-\ud7ff]*$/;
  if (plain.test(a) && plain.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

export const rowsOfPage = <Rows extends { slice(from: number, to: number): Rows }>(
  rows: Rows,
  { page, limit }: PageRequest,
) => rows.slice((page - 1) * limit, page * limit);

/** Page 1 holds the newest `limit` rows, page 2 those before them; each in the order of time. */
export const newestRowsOfPage = <R>(rows: readonly R[], { page, limit }: PageRequest): R[] =>
  rows.slice(Math.max(0, rows.length - page * limit), Math.max(0, rows.length - (page - 1) * limit));

/** 0–100 with two decimals; 0 of nothing is 0. */
export const percentage = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

/** To be awaited between pieces of long work, so that other work goes on. */
type Pause = () => Promise<void>;

const RUN = 2_048;
const MERGED_AT_ONCE = 4_096;

/**
 * The places 0 to size − 1 in order; equal ones keep theirs. A merge sort, as the language's own cannot be interrupted:
 * a million rows take it seconds.
 */
export async function sortedPlaces(
  size: number,
  compare: (a: number, b: number) => number,
  pause: Pause,
): Promise<Uint32Array> {
  let places = new Uint32Array(size).map((_, place) => place);
  for (let from = 0; from < size; from += RUN) {
    places.subarray(from, from + RUN).sort(compare);
    await pause();
  }
  let merged = new Uint32Array(size);
  for (let length = RUN; length < size; length *= 2) {
    for (let from = 0; from < size; from += 2 * length) {
      const middle = Math.min(from + length, size);
      const to = Math.min(from + 2 * length, size);
      let left = from;
      let right = middle;
      for (let at = from; at < to; at++) {
        const isLeft = right >= to || (left < middle && compare(places[left] ?? 0, places[right] ?? 0) <= 0);
        merged[at] = (isLeft ? places[left++] : places[right++]) ?? 0;
        if (at % MERGED_AT_ONCE === 0) await pause();
      }
    }
    [places, merged] = [merged, places];
  }
  return places;
}
