import { wantsEveryRow, type Question, type SessionCounting } from '../query-type';
import { distinctNeeds, type Count } from './counted';
import { gathered, placesWith } from './columns';
import { valueAtRank } from './ranks';
import { columnOf, rowsAt, sumOf, type Table } from './tables';

interface Ranking {
  /** What the rows are ordered by, each descending. */
  readonly by: readonly string[];
  /** The column whose sum over all rows is added to each as `whole`. */
  readonly share?: string;
  /** Columns of texts with the columns of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A list: the rows that may be on the page, with how many there are in all. */
export const ranked = (count: Count, { by, share, texts = { text: 'value' } }: Ranking): SessionCounting => ({
  ...distinctNeeds(count),
  texts,
  count(sessions, question, lookup) {
    const table = count.of({ sessions, question, lookup });
    return withTotals(firstRows(table, by, question), table, share);
  },
});

/** A short list in ascending order of a column, likewise with `whole`. */
export const ascending = (count: Count, by: string, share?: string): SessionCounting => ({
  ...distinctNeeds(count),
  count(sessions, question, lookup) {
    const table = count.of({ sessions, question, lookup });
    const column = columnOf(table, by);
    const order = Int32Array.from(column.keys()).sort((a, b) => (column[a] ?? 0) - (column[b] ?? 0));
    return withTotals(rowsAt(table, order), table, share);
  },
});

/** Some rows of a table, with what is the same in each. */
function withTotals({ size, columns }: Table, every: Table, share?: string): Table {
  const total = (value: number) => new Float64Array(size).fill(value);
  const whole: Table['columns'] = share === undefined ? {} : { whole: total(sumOf(columnOf(every, share))) };
  return { size, columns: { ...columns, ...whole, total_rows: total(every.size) } };
}

/**
 * The first rows by some columns, in any order; those that equal the last of them are among them, as only their texts
 * decide.
 */
export function firstRows(table: Table, by: readonly string[], question: Pick<Question, 'page' | 'sort'>): Table {
  const { page, limit } = question.page;
  if (wantsEveryRow(question) || table.size <= page * limit) return table;
  const chosen: Int32Array[] = [];
  let [equal, wanted] = [placesWith(new Uint8Array(table.size).fill(1)), page * limit];
  for (const name of by) {
    const [column, places] = [columnOf(table, name).map((value) => value || 0), equal]; // a count that is missing is 0
    const last = valueAtRank(gathered(column, places), places.length - wanted);
    const above = places.filter((place) => (column[place] ?? 0) > last);
    equal = places.filter((place) => column[place] === last);
    chosen.push(above);
    wanted -= above.length;
    if (equal.length === wanted) break;
  }
  return rowsAt(table, Int32Array.from([...chosen, equal].flatMap((places) => [...places])));
}
