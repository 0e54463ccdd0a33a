import { type Table, columnOf, mapped, rowsAt, sumOf } from '@ledgerline/domain/counting/tables';
import type { Numbers, Unit } from '@ledgerline/contracts/read-models/session-days';
import { everyPlace, gathered, placesWith, valuesAtRanks } from '@ledgerline/domain/counting/columns';
import type { Aggregate, Key } from '@ledgerline/contracts/aggregates/aggregate';
import { countOf, joinCounts } from '@ledgerline/domain/counting/count-of';
import type { SelectedSessions } from '@ledgerline/domain/counting/asked';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { labelsOf, shareOf, textIn, type Fields, type Labels } from './fields';
import { EVERY_ROW, type Question } from './query-context';
import { byCounts, queryType, type Asked, type QueryType, type SessionCounting } from './query-type';

type Described = Pick<QueryType, 'name' | 'category' | 'description'> & {
  readonly publicAccess?: boolean;
  readonly takes?: { readonly filters: readonly ('metric_name' | 'link_kind')[] };
};

interface ListType extends Described {
  /** Of the text that a row is about. */
  readonly labels?: Labels;
  /** What comes after the labels. */
  readonly fields: Fields;
  /** `value` is the id of the text. */
  readonly count: SessionCounting;
  /** What the `percentage` of a row is. */
  readonly share?: Share;
  /** Columns of texts with those of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Texts beside a row of a page, by field. */
  readonly mostFrequent?: Readonly<Record<string, TextsOfPages>>;
  /** Fields that are neither labels nor columns. */
  readonly row?: QueryType['row'];
}

/** A list of a website in the order of its counts, each descending, in the order of the fields, and then of its labels. */
export function listType(declared: ListType): QueryType {
  const { labels = labelsOf('name'), count, share, texts, mostFrequent = {}, row, ...described } = declared;
  const fields: Fields = { ...labels.fields, ...declared.fields };
  const counts = Object.keys(fields).filter((name) => fields[name]?.type === 'integer');
  const sessionColumns = ranked(count, { by: counts, ...(share ? { share } : {}), ...(texts ? { texts } : {}) });
  return queryType({
    ...described,
    shape: 'list',
    fields,
    order: byCounts(counts, ...Object.keys(labels.fields)),
    sessionColumns: withMostFrequent(sessionColumns, mostFrequent),
    row: (found) => ({
      ...labels.of(textIn(found, 'text')),
      ...(share ? { percentage: shareOf(found, share.column) } : {}),
      ...row?.(found),
    }),
  });
}

/** What the `percentage` of a row is the part of (docs/definitions.md). */
export interface Share {
  /** The count of the row. */
  readonly column: string;
  readonly of: Whole;
}

/** All there are of something; `sum` where each of them is in exactly one row. */
export type Whole = 'sum' | { readonly count: SessionCounting };

/** All visitors of the range with the same filters: a visitor in several rows counts once. */
export const OF_ALL_VISITORS = {
  column: 'visitors',
  of: {
    count: countOf({ ...AGGREGATES.views, measures: { whole: 'visitors' } }),
  },
} as const satisfies Share;

/** All sessions of which a scroll depth is known. */
export const OF_SCROLLED_SESSIONS = {
  column: 'sessions',
  of: {
    count: countOf({ ...AGGREGATES.scrolling, measures: { whole: 'sessions' } }),
  },
} as const satisfies Share;

interface Ranking {
  /** What the rows are ordered by, each descending. */
  readonly by: readonly string[];
  /** What is added to each row as `whole`. */
  readonly share?: Share;
  /** Columns of texts with the columns of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A list: the rows that may be on the page, with how many there are in all. */
export const ranked = (
  counting: SessionCounting,
  { by, share, texts = { text: 'value' } }: Ranking,
): SessionCounting => ({
  ...withWhole(counting, share),
  texts,
  count(asked) {
    const table = counting.count(asked);
    return withTotals(firstRows(table, by, asked.question), table, wholeOf(table, asked, share));
  },
});

/** A short list in ascending order of a column, likewise with `whole`. */
export const ascending = (counting: SessionCounting, by: string, share?: Share): SessionCounting => ({
  ...withWhole(counting, share),
  count(asked) {
    const table = counting.count(asked);
    const column = columnOf(table, by);
    const order = Int32Array.from(column.keys()).sort((a, b) => (column[a] ?? 0) - (column[b] ?? 0));
    return withTotals(rowsAt(table, order), table, wholeOf(table, asked, share));
  },
});

/** Some rows of a table, with what is the same in each. */
function withTotals({ size, columns }: Table, every: Table, whole?: number): Table {
  const total = (value: number) => new Float64Array(size).fill(value);
  const shared: Table['columns'] = whole === undefined ? {} : { whole: total(whole) };
  return { size, columns: { ...columns, ...shared, total_rows: total(every.size) } };
}

/** What is read for a list, and for all that its rows are the parts of. */
const withWhole = (counting: SessionCounting, share?: Share): SessionCounting =>
  share === undefined || share.of === 'sum' ? counting : { ...counting, ...joinCounts([], counting, share.of.count) };

function wholeOf(table: Table, asked: Asked, share?: Share): number | undefined {
  if (share === undefined) return undefined;
  if (share.of === 'sum') return sumOf(columnOf(table, share.column));
  return columnOf(share.of.count.count(asked), 'whole')[0] ?? 0;
}

/** Whether a list is needed whole: all of its rows are wanted, or they are in another order than by default. */
export const wantsEveryRow = ({ page: { limit }, sort }: Pick<Question, 'page' | 'sort'>): boolean =>
  sort !== null || limit === EVERY_ROW.limit;

/**
 * The first rows by some columns, in any order; those that equal the last of them are among them, as only their texts
 * decide.
 */
export function firstRows(table: Table, by: readonly string[], question: Pick<Question, 'page' | 'sort'>): Table {
  const { page, limit } = question.page;
  if (wantsEveryRow(question) || table.size <= page * limit) return table;
  const above: number[] = [];
  let equal = everyPlace(table.size);
  for (const name of by) {
    const [column, left] = [columnOf(table, name), page * limit - above.length];
    const values = gathered(column, equal).map((value) => value || 0); // a count that is missing is 0
    const [last = 0] = valuesAtRanks(values, [equal.length - left]);
    const same: number[] = [];
    for (const place of equal) {
      const value = column[place] || 0;
      if (value > last) above.push(place);
      else if (value === last) same.push(place);
    }
    equal = Int32Array.from(same);
    if (above.length + equal.length === page * limit) break;
  }
  return rowsAt(table, Int32Array.from([...above, ...equal]));
}

/** How many times each text comes with each page. */
export type TextsOfPages = Aggregate & {
  readonly by: Readonly<Record<'value' | 'text', Key>>;
  readonly measures: Pick<Aggregate['measures'], 'times'>;
};

/**
 * Beside rows of pages the texts that come with them most often, by column; of equally frequent ones all, as only the
 * texts themselves decide between them.
 */
export function withMostFrequent(
  counting: SessionCounting,
  wanted: Readonly<Record<string, TextsOfPages>>,
): SessionCounting {
  if (Object.keys(wanted).length === 0) return counting;
  const counts = mapped(wanted, countOf);
  return {
    ...counting,
    ...joinCounts([], counting, ...Object.values(counts)), // what they read
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
  for (const [row, page] of columnOf(table, 'value').entries()) {
    const [most = 0, text = 0, before] = [times[row], texts[row], found.get(page)];
    if (!before || most > before.most) found.set(page, { most, texts: [text] });
    else if (most === before.most) before.texts.push(text);
  }
  return found;
}

/**
 * For a list of single units, newest first or as it is sorted, that is read from facts: the times (`at`) of its rows up to
 * the end of the page, with all that equal the last one, and how many there are in all.
 */
export const singleUnits = (unit: Unit): SessionCounting => ({
  units: [unit],
  count({ sessions, question }) {
    const { field, isIn } = sessions.unit(unit);
    return firstSingles(Float64Array.from(gathered(field('at'), placesWith(isIn))), question);
  },
});

/** By what sessions are sorted: the time of their first event, or a number of each. */
type SessionSorts = Readonly<Record<string, 'time' | ((sessions: SelectedSessions) => Numbers)>>;

/** The same of counted sessions, by the time of their first event, with the number (`value`) by which they are sorted. */
export const singleSessions = (sorts: SessionSorts): SessionCounting => ({
  units: ['views'],
  fields: ['first_at'],
  isInOrderOf: Object.keys(sorts),
  count({ sessions, question }) {
    const places = placesWith(sessions.isCounted);
    const counted = (column: Numbers) => Float64Array.from(gathered(column, places));
    const sort = sorts[question.sort?.field ?? ''];
    const values = typeof sort === 'function' ? counted(sort(sessions)) : undefined;
    return firstSingles(counted(sessions.field('first_at')), question, values);
  },
});

const NEWEST = countOf({
  of: 'counted_sessions',
  by: { visitor: 'visitor' },
  measures: { at: { greatest: 'first_at' } },
});

/** The same of visitors, by the time of the newest of these sessions. */
export const singleVisitors: SessionCounting = {
  ...NEWEST,
  isInOrderOf: [],
  count: (asked) => firstSingles(columnOf(NEWEST.count(asked), 'at'), asked.question),
};

/** Of equal values the newest come first. */
function firstSingles(at: Float64Array, { page, sort }: Question, values?: Float64Array): Table {
  const sign = sort?.direction === 'asc' ? -1 : 1;
  const order = (values ?? at).map((each) => sign * each);
  const table: Table = { size: at.length, columns: { at, order, ...(values ? { value: values } : {}) } };
  return withTotals(firstRows(table, values ? ['order', 'at'] : ['order'], { page, sort: null }), table);
}
