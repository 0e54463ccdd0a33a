import { percentage } from '@ledgerline/domain/query/rows';

/** A row as Postgres returns it. Counts are cast to float8, so that they arrive as numbers. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A field of an answer's rows, as `GET /v1/query/types` describes it. */
export interface Field {
  readonly type: 'string' | 'integer' | 'number' | 'timestamp' | 'array' | 'object';
  readonly unit?: string;
  /** May be null: nothing to take a median of, or unknown. */
  readonly nullable?: true;
  /** The only texts there are, in the order that rows are sorted by. */
  readonly values?: readonly string[];
}

export type Fields = Readonly<Record<string, Field>>;

export const text: Field = { type: 'string' };
export const oneOf = (values: readonly string[]): Field => ({ type: 'string', values });
export const count: Field = { type: 'integer' };
export const percent: Field = { type: 'number', unit: 'percent' };
export const ratio: Field = { type: 'number' };
export const seconds: Field = { type: 'number', unit: 'seconds' };
export const milliseconds: Field = { type: 'number', unit: 'milliseconds' };
export const timestamp: Field = { type: 'timestamp' };
export const list: Field = { type: 'array' };
export const object: Field = { type: 'object' };

export const orNull = (field: Field): Field => ({ ...field, nullable: true });

/** The value of a field out of the column of its name; a missing one is 0, '' or, where the field allows it, null. */
export function valueOf({ type, nullable }: Field, column: unknown): unknown {
  if (type === 'timestamp') return column instanceof Date ? column.toISOString() : null;
  if (type === 'object') return typeof column === 'object' && column !== null ? column : {};
  if (type === 'array') return Array.isArray(column) ? column : [];
  const wanted = type === 'string' ? 'string' : 'number';
  if (typeof column === wanted) return column;
  return nullable ? null : type === 'string' ? '' : 0;
}

export const numberIn = (row: SqlRow, column: string): number => numberOrNull(row, column) ?? 0;

export function numberOrNull(row: SqlRow, column: string): number | null {
  const value = row[column];
  return typeof value === 'number' ? value : null;
}

export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : '';
}

/** The share of a column in the sum over all rows, in percent. */
export const shareOf = (row: SqlRow, column: string): number =>
  percentage(numberIn(row, column), numberIn(row, 'whole'));

/** A sum per thing, with two decimals; null of nothing. */
export const averageOf = (sum: number, things: number): number | null =>
  things === 0 ? null : Math.round((sum / things) * 100) / 100;

const MICRO = 1_000_000;

/** ms as seconds, to the microsecond. */
export const secondsOf = (ms: number | null): number | null =>
  ms === null ? null : Math.round((ms / 1000) * MICRO) / MICRO;
