import { percentage } from '@ledgerline/domain/query/rows';

/** A row as Postgres returns it. Counts are cast to float8, so that they arrive as numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

const EMPTY = Symbol('empty');

/** The row of totals or of a bucket for which nothing was found: all columns but the given ones are null. */
export const emptyRow = (known: SqlRow = {}): SqlRow => ({ ...known, [EMPTY]: true });

/** A column as it came. @throws Error when the rows have none, so that a mistyped alias is not answered as 0 */
export function columnOf(row: SqlRow, column: string): unknown {
  const value = row[column];
  if (value === undefined && !(EMPTY in row)) throw new Error(`The rows have no column ${column}.`);
  return value ?? null;
}

/** 0 of null. @throws Error as {@link numberOrNull} */
export const numberIn = (row: SqlRow, column: string): number => numberOrNull(row, column) ?? 0;

/** @throws Error when there is no such column, or it is no number */
export function numberOrNull(row: SqlRow, column: string): number | null {
  const value = columnOf(row, column);
  if (value === null || typeof value === 'number') return value;
  throw new Error(`The column ${column} is no number.`);
}

/** '' of null. @throws Error when there is no such column, or it is no text */
export function textIn(row: SqlRow, column: string): string {
  const value = columnOf(row, column) ?? '';
  if (typeof value === 'string') return value;
  throw new Error(`The column ${column} is no text.`);
}

/** An id as it is shown: 32 hex digits. */
export const withoutDashes = (uuid: string): string => uuid.replaceAll('-', '');

/** The id in a column of a uuid; null of null. */
export const idIn = (row: SqlRow, column: string): string | null => withoutDashes(textIn(row, column)) || null;

/**
 * The part that a count of a row is of all there are (`whole`), in percent. It is 100 at most: sessions and visits of pages
 * that begin in a range may be selected by page views after it.
 */
export function shareOf(row: SqlRow, column: string): number {
  const part = numberIn(row, column);
  return percentage(part, Math.max(part, numberIn(row, 'whole')));
}

/** A sum per thing, with two decimals; null of nothing. */
export const averageOf = (sum: number, things: number): number | null =>
  things === 0 ? null : Math.round((sum / things) * 100) / 100;

const MICRO = 1_000_000;

/** ms as seconds, to the microsecond. */
export const secondsOf = (ms: number | null): number | null =>
  ms === null ? null : Math.round((ms / 1000) * MICRO) / MICRO;
