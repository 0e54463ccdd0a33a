import { columnOf, type SqlRow } from './sql-row';

/** A field of an answer's rows, as `GET /v1/query/types` describes it. */
export interface Field {
  readonly type: 'string' | 'integer' | 'number' | 'timestamp' | 'array' | 'object';
  readonly unit?: string;
  /** May be null: nothing to take a median of, or unknown. */
  readonly nullable?: true;
  /** Of a figure that is not exact: its relative error, before it is rounded to {@link SIGNIFICANT_DIGITS}. */
  readonly accuracy?: number;
  /** The only texts there are, in the order that rows are sorted by. */
  readonly values?: readonly string[];
  /** Of a list: the fields of each of its elements. */
  readonly items?: Fields;
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
export const listOf = (items: Fields): Field => ({ type: 'array', items });
export const object: Field = { type: 'object' };

export const countFields = (names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, count]));

export const textFields = (names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, text]));

export const orNull = (field: Field): Field => ({ ...field, nullable: true });

/** A median or percentile, which histograms have within 1 %; null of nothing. */
export const estimate = (field: Field): Field => ({ ...orNull(field), accuracy: 0.01 });

/** Of figures that are not exact. */
export const SIGNIFICANT_DIGITS = 3;

const IS_OF_TYPE: Readonly<Record<Field['type'], (column: unknown) => boolean>> = {
  string: (column) => typeof column === 'string',
  integer: (column) => typeof column === 'number',
  number: (column) => typeof column === 'number',
  timestamp: (column) => column instanceof Date,
  array: Array.isArray,
  object: (column) => typeof column === 'object' && !Array.isArray(column),
};

const OF_NULL: Readonly<Record<Field['type'], () => unknown>> = {
  string: () => '',
  integer: () => 0,
  number: () => 0,
  timestamp: () => null,
  array: () => [],
  object: () => ({}),
};

/**
 * The value of a field out of the column of its name; of null 0, '' and the like, or null where the field allows it. A
 * time is a date, or in counted rows epoch ms.
 * @throws Error when there is no such column, or it is of another type
 */
export function valueOf(name: string, { type, nullable }: Field, row: SqlRow): unknown {
  const column = columnOf(row, name);
  if (column === null) return nullable ? null : OF_NULL[type]();
  if (type === 'timestamp' && typeof column === 'number') return new Date(column).toISOString();
  if (!IS_OF_TYPE[type](column)) throw new Error(`The column ${name} is no ${type}.`);
  return column instanceof Date ? column.toISOString() : column;
}
