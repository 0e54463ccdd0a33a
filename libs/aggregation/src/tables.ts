import { everyRow, take, valuesAtRanks } from './columns';
import { groupsOfAll } from './groups';

/** Rows of numbers as columns; NaN = null. */
export interface ColumnTable {
  readonly size: number;
  readonly columns: Readonly<Record<string, Float64Array>>;
  /** Columns of several text ids each, of which the first text by code point counts; null without any. */
  readonly lists?: Readonly<Record<string, readonly (readonly number[] | null)[]>>;
  /** Columns of what is neither a number nor has an id, of short tables. */
  readonly cells?: Readonly<Record<string, readonly unknown[]>>;
  /** So many rows at the end are equal but for their texts, and not all of them are wanted. */
  readonly equal?: number;
  /** The notes about the rows. */
  readonly notes?: readonly string[];
  /** Instead of rows: the ties whose order has to be known first. */
  readonly ties?: readonly AmbiguousTime[];
}

/** A time (epoch ms) at which a visitor (-1 = none) has several events. */
export interface AmbiguousTime {
  readonly visitor: number;
  readonly at: number;
}

/** Rows that are few, with ids of texts and other numbers as columns. */
export function tableOfRows(
  rows: readonly Readonly<Record<string, unknown>>[],
  ids: readonly string[] = [],
): ColumnTable {
  const names = Object.keys(rows[0] ?? {}).filter((name) => !ids.includes(name));
  return {
    size: rows.length,
    columns: Object.fromEntries(ids.map((name) => [name, Float64Array.from(rows, (row) => Number(row[name]))])),
    cells: Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name])])),
  };
}

export function tableColumn({ columns }: ColumnTable, name: string): Float64Array {
  const column = columns[name];
  if (!column) throw new Error(`The rows have no column ${name}.`);
  return column;
}

/**
 * Rows of several tables that agree in their keys as one row, which each of them has once at most; null = it has none.
 * @param size of the first table: rows that only others have are left out
 */
export function joinTables(keys: readonly string[], tables: readonly ColumnTable[], size = Infinity): ColumnTable {
  const columns = keys.map((key) => concatenated(tables.map((table) => tableColumn(table, key))));
  const { numbers, count } = groupsOfAll(columns, sumOfKnown(tables.map((table) => table.size)));
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
  return { size: kept, columns: mapRecordValues(found, (column) => column.subarray(0, kept)) };
}

/** The rows at these places. */
export const rowsAt = ({ columns }: ColumnTable, places: Int32Array): ColumnTable => ({
  size: places.length,
  columns: mapRecordValues(columns, (column) => take(column, places)),
});

/** Returns the same table in memory of its own. */
export const copied = ({ columns, ...table }: ColumnTable): ColumnTable => ({
  ...table,
  columns: mapRecordValues(columns, (column) => column.slice()),
});

export const sumOfKnown = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += Number.isNaN(number) ? 0 : number;
  return sum;
};

/** Returns the same names with what follows from the values of each. */
export const mapRecordValues = <Value, Made>(values: Readonly<Record<string, Value>>, make: (value: Value) => Made) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));

function concatenated(columns: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(sumOfKnown(columns.map(({ length }) => length)));
  let from = 0;
  for (const column of columns) {
    whole.set(column, from);
    from += column.length;
  }
  return whole;
}

/** The first rows by some columns and all other rows counted, with the `whole` that they are parts of. */
export const rankedRows = (table: ColumnTable, by: readonly string[], top: number, whole?: number): ColumnTable =>
  withTotals(firstRows(table, by, top), table, whole);

/** All rows in ascending order of a column, likewise. */
export function sortedRows(table: ColumnTable, by: string, whole?: number): ColumnTable {
  const column = tableColumn(table, by);
  const order = Int32Array.from(column.keys()).sort((a, b) => (column[a] ?? 0) - (column[b] ?? 0));
  return withTotals(rowsAt(table, order), table, whole);
}

/** The first of single things by their time, or by values of which equal ones are in the order of time. */
export function newestRows(
  at: Float64Array,
  { isAscending, values, top }: { readonly isAscending: boolean; readonly values?: Float64Array; readonly top: number },
): ColumnTable {
  const sign = isAscending ? -1 : 1;
  const order = (values ?? at).map((each) => sign * each);
  const table: ColumnTable = { size: at.length, columns: { at, order, ...(values ? { value: values } : {}) } };
  return rankedRows(table, values ? ['order', 'at'] : ['order'], top);
}

/** Some rows of a table, with what is the same in each. */
function withTotals({ size, columns, equal }: ColumnTable, every: ColumnTable, whole?: number): ColumnTable {
  const total = (value: number) => new Float64Array(size).fill(value);
  const shared: ColumnTable['columns'] = whole === undefined ? {} : { whole: total(whole) };
  const counted: ColumnTable = { size, columns: { ...columns, ...shared, total_rows: total(every.size) } };
  return equal === undefined ? counted : { ...counted, equal };
}

/**
 * The first rows by some columns, each descending, in any order; those that equal the last of them are among them, as only
 * their texts decide.
 */
export function firstRows(table: ColumnTable, by: readonly string[], top: number): ColumnTable {
  if (table.size <= top) return table;
  const above: number[] = [];
  let equal = everyRow(table.size);
  for (const name of by) {
    const column = tableColumn(table, name);
    const left = top - above.length;
    const values = take(column, equal).map((value) => value || 0); // a count that is missing is 0
    const [last = 0] = valuesAtRanks(values, [equal.length - left]);
    const same: number[] = [];
    for (const place of equal) {
      const value = column[place] || 0;
      if (value > last) above.push(place);
      else if (value === last) same.push(place);
    }
    equal = Int32Array.from(same);
    if (above.length + equal.length === top) break;
  }
  return { ...rowsAt(table, Int32Array.from([...above, ...equal])), equal: equal.length };
}

/** Lists of the texts that come with each page most often, beside rows of pages; of equally frequent ones all. */
export function mostFrequentOf(table: ColumnTable, pages: readonly number[]): readonly (readonly number[] | null)[] {
  const texts = tableColumn(table, 'text');
  const times = tableColumn(table, 'times');
  const found = new Map<number, { readonly most: number; readonly texts: number[] }>();
  for (const [row, page] of tableColumn(table, 'value').entries()) {
    const most = times[row] ?? 0;
    const text = texts[row] ?? 0;
    const before = found.get(page);
    if (!before || most > before.most) found.set(page, { most, texts: [text] });
    else if (most === before.most) before.texts.push(text);
  }
  return pages.map((page) => found.get(page)?.texts ?? null);
}
