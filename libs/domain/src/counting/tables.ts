import { groupsOfAll } from './groups';
import { gathered } from './columns';

/** Rows of numbers as columns; NaN = null. */
export interface Table {
  readonly size: number;
  readonly columns: Readonly<Record<string, Float64Array>>;
  /** Columns of several text ids each, of which the first text by code point counts; null without any. */
  readonly lists?: Readonly<Record<string, readonly (readonly number[] | null)[]>>;
  /** Columns of what is neither a number nor has an id, of short tables. */
  readonly cells?: Readonly<Record<string, readonly unknown[]>>;
  /** What has to be said about the rows. */
  readonly notes?: readonly string[];
  /** Instead of rows: the ties whose order has to be known first. */
  readonly ties?: readonly Tie[];
}

/** A time (epoch ms) at which a visitor (-1 = none) has several events. */
export interface Tie {
  readonly visitor: number;
  readonly at: number;
}

/** Rows that are few, with ids of texts and other numbers as columns. */
export function tableOfRows(rows: readonly Readonly<Record<string, unknown>>[], ids: readonly string[] = []): Table {
  const names = Object.keys(rows[0] ?? {}).filter((name) => !ids.includes(name));
  return {
    size: rows.length,
    columns: Object.fromEntries(ids.map((name) => [name, Float64Array.from(rows, (row) => Number(row[name]))])),
    cells: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
  };
}

export function columnOf({ columns }: Table, name: string): Float64Array {
  const column = columns[name];
  if (!column) throw new Error(`The rows have no column ${name}.`);
  return column;
}

/**
 * Rows of several tables that agree in their keys as one row, which each of them has once at most; null = it has none.
 * @param size of the first table: rows that only others have are left out
 */
export function joined(keys: readonly string[], tables: readonly Table[], size = Infinity): Table {
  const columns = keys.map((key) => concatenated(tables.map((table) => columnOf(table, key))));
  const { numbers, count } = groupsOfAll(columns, sumOf(tables.map((table) => table.size)));
  const found: Record<string, Float64Array> = {};
  let from = 0;
  for (const table of tables) {
    for (const [name, column] of Object.entries(table.columns)) {
      const values = (found[name] ??= new Float64Array(count).fill(NaN));
      for (let row = 0; row < table.size; row++) values[numbers[from + row] ?? 0] = column[row] ?? NaN;
    }
    from += table.size;
  }
  const kept = Math.min(count, size); // rows of the first table come first
  return { size: kept, columns: mapped(found, (column) => column.subarray(0, kept)) };
}

/** The rows at these places. */
export const rowsAt = ({ columns }: Table, places: Int32Array): Table => ({
  size: places.length,
  columns: mapped(columns, (column) => gathered(column, places)),
});

/** The same in memory of its own. */
export const copied = ({ columns, ...table }: Table): Table => ({
  ...table,
  columns: mapped(columns, (column) => column.slice()),
});

export const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += Number.isNaN(number) ? 0 : number;
  return sum;
};

/** The same names with what follows from the values of each. */
export const mapped = <Value, Made>(values: Readonly<Record<string, Value>>, make: (value: Value) => Made) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));

function concatenated(columns: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(sumOf(columns.map(({ length }) => length)));
  let from = 0;
  for (const column of columns) {
    whole.set(column, from);
    from += column.length;
  }
  return whole;
}
