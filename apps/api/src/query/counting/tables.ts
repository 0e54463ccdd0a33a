import { groupsOfAll } from './groups';

/** Rows of numbers as columns; NaN = null. */
export interface Table {
  readonly size: number;
  readonly columns: Readonly<Record<string, Float64Array>>;
  /** Columns of several text ids each, of which the first text by code point counts; null without any. */
  readonly lists?: Readonly<Record<string, readonly (readonly number[] | null)[]>>;
}

export function columnOf({ columns }: Table, name: string): Float64Array {
  const column = columns[name];
  if (!column) throw new Error(`The rows have no column ${name}.`);
  return column;
}

/** Rows of several tables that agree in their keys as one row, which each of them has once at most; null = it has none. */
export function joined(keys: readonly string[], tables: readonly Table[]): Table {
  const columns = keys.map((key) => concatenated(tables.map((table) => columnOf(table, key))));
  const { numbers, count } = groupsOfAll(columns, sumOf(tables.map(({ size }) => size)));
  const found: Record<string, Float64Array> = {};
  let from = 0;
  for (const table of tables) {
    for (const [name, column] of Object.entries(table.columns)) {
      const values = (found[name] ??= new Float64Array(count).fill(NaN));
      for (let row = 0; row < table.size; row++) values[numbers[from + row] ?? 0] = column[row] ?? NaN;
    }
    from += table.size;
  }
  return { size: count, columns: found };
}

/** The rows of the first table with what the others have of the same keys; null = nothing. */
export function leftJoined(keys: readonly string[], first: Table, others: readonly Table[]): Table {
  const { columns } = joined(keys, [first, ...others]);
  const { size } = first; // its rows come first
  return { size, columns: mapped(columns, (column) => column.subarray(0, size)) };
}

/** The rows at these places. */
export const rowsAt = ({ columns }: Table, places: Int32Array): Table => ({
  size: places.length,
  columns: mapped(columns, (column) => new Float64Array(places.length).map((_, at) => column[places[at] ?? 0] ?? NaN)),
});

/** The same in memory of its own. */
export const copied = ({ columns, ...table }: Table): Table => ({
  ...table,
  columns: mapped(columns, (column) => column.slice()),
});

/** One table after the other; both have the same columns. */
export const appended = (first: Table, second: Table): Table => ({
  size: first.size + second.size,
  columns: Object.fromEntries(
    Object.entries(first.columns).map(([name, column]) => [name, concatenated([column, columnOf(second, name)])]),
  ),
});

export const sumOf = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += Number.isNaN(number) ? 0 : number;
  return sum;
};

const mapped = (columns: Table['columns'], each: (column: Float64Array) => Float64Array): Table['columns'] =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, each(column)]));

function concatenated(columns: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(sumOf(columns.map(({ length }) => length)));
  let from = 0;
  for (const column of columns) {
    whole.set(column, from);
    from += column.length;
  }
  return whole;
}
