import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { wantsEveryRow, type Question, type SessionCounting } from '../query-type';
import { gathered, placesWith, valuesAtRanks } from './columns';
import { countOf } from './count-of';
import { COUNTED_SESSIONS } from './items';
import { all, COUNT, greatest, positive, sum, type Condition } from './measures';
import { columnOf, mapped, rowsAt, sumOf, type Table } from './tables';

interface Ranking {
  /** What the rows are ordered by, each descending. */
  readonly by: readonly string[];
  /** The column whose sum over all rows is added to each as `whole`. */
  readonly share?: string;
  /** Columns of texts with the columns of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A list: the rows that may be on the page, with how many there are in all. */
export const ranked = (
  counting: SessionCounting,
  { by, share, texts = { text: 'value' } }: Ranking,
): SessionCounting => ({
  ...counting,
  texts,
  count(asked) {
    const table = counting.count(asked);
    return withTotals(firstRows(table, by, asked.question), table, share);
  },
});

/** A short list in ascending order of a column, likewise with `whole`. */
export const ascending = (counting: SessionCounting, by: string, share?: string): SessionCounting => ({
  ...counting,
  count(asked) {
    const table = counting.count(asked);
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
  let [equal, wanted] = [Int32Array.from({ length: table.size }, (_, row) => row), page * limit];
  for (const name of by) {
    const [column, places] = [columnOf(table, name).map((value) => value || 0), equal]; // a count that is missing is 0
    const [last = 0] = valuesAtRanks(gathered(column, places), [places.length - wanted]);
    const above = places.filter((place) => (column[place] ?? 0) > last);
    equal = places.filter((place) => column[place] === last);
    chosen.push(above);
    wanted -= above.length;
    if (equal.length === wanted) break;
  }
  return rowsAt(table, Int32Array.from([...chosen, equal].flatMap((places) => [...places])));
}

/** Texts of engagement spans. */
export interface SpanText {
  /** The field of the text's id. */
  readonly text: string;
  /** How many times the text counts for each span; once without it. */
  readonly times?: string;
  readonly where?: Condition;
}

/**
 * Beside rows of pages the texts that come most often in their engagement spans, by column; of equally frequent ones all,
 * as only the texts themselves decide between them.
 */
export function withMostFrequent(
  counting: SessionCounting,
  wanted: Readonly<Record<string, SpanText>>,
): SessionCounting {
  if (Object.keys(wanted).length === 0) return counting;
  const counts = mapped(wanted, ({ text, times, where }) => {
    const conditions = [positive(text), ...(times === undefined ? [] : [positive(times)]), ...(where ? [where] : [])];
    const measures = { times: times === undefined ? COUNT : sum(times) };
    return countOf({ of: 'spans', by: { page: 'path', text }, where: all(...conditions), measures });
  });
  return {
    ...counting,
    texts: { ...counting.texts, ...Object.fromEntries(Object.keys(wanted).map((name) => [name, name])) },
    count(asked) {
      const rows = counting.count(asked);
      const pages = Array.from(columnOf(rows, 'value'));
      const lists = mapped(counts, ({ count }) => {
        const texts = mostFrequent(count(asked));
        return pages.map((page) => texts.get(page)?.texts ?? null);
      });
      return { ...rows, lists };
    },
  };
}

function mostFrequent(table: Table) {
  const [texts, times] = [columnOf(table, 'text'), columnOf(table, 'times')];
  const found = new Map<number, { readonly most: number; readonly texts: number[] }>();
  for (const [row, page] of columnOf(table, 'page').entries()) {
    const [most = 0, text = 0, before] = [times[row], texts[row], found.get(page)];
    if (!before || most > before.most) found.set(page, { most, texts: [text] });
    else if (most === before.most) before.texts.push(text);
  }
  return found;
}

/**
 * For a list of single units, newest first or as it is sorted, that is read from facts: the times (`at`) of those on the
 * page, how many of the first time come on earlier pages (`skipped`), and how many there are in all.
 */
export const singles = (unit: Unit): SessionCounting => ({
  units: [unit],
  count({ sessions, question }) {
    const { field, isIn } = sessions.unit(unit);
    return timesOfPage(Float64Array.from(gathered(field('at'), placesWith(isIn))), question);
  },
});

/** The same of counted sessions, by the time of their first event, which is the field `sortedAs`. */
export const singleSessions = (sortedAs: string): SessionCounting => ({
  units: ['views'],
  fields: ['first_at'],
  isInOrderOf: [sortedAs],
  count: ({ sessions, question }) =>
    timesOfPage(Float64Array.from(gathered(sessions.field('first_at'), placesWith(sessions.isCounted))), question),
});

const NEWEST = countOf({ of: COUNTED_SESSIONS, by: { visitor: 'visitor' }, measures: { at: greatest('first_at') } });

/** The same of visitors, by the time of the newest of these sessions. */
export const singleVisitors: SessionCounting = {
  ...NEWEST,
  isInOrderOf: [],
  count: (asked) => timesOfPage(columnOf(NEWEST.count(asked), 'at'), asked.question),
};

function timesOfPage(at: Float64Array, { page: { page, limit }, sort }: Question): Table {
  const sign = sort?.direction === 'asc' ? 1 : -1;
  const values = at.map((time) => sign * time);
  const begin = (page - 1) * limit;
  const table = (times: readonly number[], skipped: number): Table => {
    const every = (value: number) => new Float64Array(times.length).fill(value);
    const columns = { at: Float64Array.from(times), skipped: every(skipped), total_rows: every(at.length) };
    return { size: times.length, columns };
  };
  if (begin >= at.length) return table(at.length === 0 ? [] : [NaN], 0);
  const [first = 0, last = 0] = valuesAtRanks(values, [begin, Math.min(begin + limit, at.length) - 1]);
  const times = new Set<number>();
  let skipped = begin;
  for (const value of values) {
    if (value < first) skipped--;
    else if (value <= last) times.add(sign * value);
  }
  return table([...times], skipped);
}
