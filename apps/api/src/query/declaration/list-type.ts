import {
  aggregate,
  type Plan,
  type SessionSort,
  type Share,
  type TextsOfPages,
} from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { labelledRow, labelsOf, type ComputeRow, type ResultFields, type Labels } from './fields';
import type { QueryContext } from './query-context';
import { byCounts, queryType, type QueryType, type Counting } from './query-type';

type Described = Pick<QueryType, 'name' | 'category' | 'description'> & {
  readonly publicAccess?: boolean;
  readonly takes?: { readonly filters: readonly ('metric_name' | 'link_kind')[] };
};

interface ListType extends Described {
  /** The labels of the text that a row is about. */
  readonly labels?: Labels;
  /** The fields after the labels. */
  readonly fields: ResultFields;
  /** The counts by which rows are sorted, in this order; all of them in the order of the fields unless it is given. */
  readonly order?: readonly string[];
  /** `value` is the id of the text. */
  readonly count: Plan;
  /** The share that the `percentage` of a row is. */
  readonly share?: Share;
  /** Columns of texts with those of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Texts beside a row of a page, by field. */
  readonly mostFrequent?: Readonly<Record<string, TextsOfPages>>;
  /** Fields that are neither labels nor columns. */
  readonly row?: ComputeRow;
}

/** A list of a website in the order of its counts, each descending, and then of its labels. */
export function listQueryType(declared: ListType): QueryType {
  const {
    labels = labelsOf('name'),
    count,
    order,
    share,
    texts = { text: 'value' },
    mostFrequent = {},
    row,
    ...described
  } = declared;
  const fields: ResultFields = { ...labels.fields, ...declared.fields };
  const counts = Object.keys(fields).filter((name) => fields[name]?.type === 'integer');
  const of: Plan = { kind: 'rank', of: count, by: order ?? counts, ...(share ? { share } : {}) };
  const frequent = Object.keys(mostFrequent);
  return queryType({
    ...described,
    shape: 'list',
    fields,
    order: byCounts(order ?? counts, ...Object.keys(labels.fields)),
    counting: {
      plan: frequent.length === 0 ? of : { kind: 'mostFrequent', of, texts: mostFrequent },
      ...(labels.isText ? { byText: 'text' } : {}),
      texts: { ...texts, ...Object.fromEntries(frequent.map((name) => [name, name])) },
    },
    row: labelledRow(labels, share, row),
  });
}

/** All visitors of the range with the same filters: a visitor in several rows counts once. */
export const OF_ALL_VISITORS = {
  column: 'visitors',
  of: aggregate({ ...AGGREGATES.views, measures: { whole: 'visitors' } }),
} as const satisfies Share;

/** All sessions of which a scroll depth is known. */
export const OF_SCROLLED_SESSIONS = {
  column: 'sessions',
  of: aggregate({ ...AGGREGATES.scrolling, measures: { whole: 'sessions' } }),
} as const satisfies Share;

const isAscending = ({ sort }: Pick<QueryContext, 'sort'>): boolean => sort?.direction === 'asc';

/** Single units, newest first or as they are sorted. */
export const singleUnits = (unit: Unit): Counting => ({
  plan: (asked) => ({ kind: 'newestUnits', unit, isAscending: isAscending(asked) }),
});

/** Single sessions by the time of their first event, or as they are sorted. */
export const singleSessions = (sorts: Readonly<Record<string, 'time' | SessionSort>>): Counting => ({
  isInOrderOf: Object.keys(sorts),
  plan(asked) {
    const by = sorts[asked.sort?.field ?? ''];
    return { kind: 'newestSessions', isAscending: isAscending(asked), ...(typeof by === 'object' ? { by } : {}) };
  },
});

/** Single visitors by the time of their newest session. */
export const singleVisitors: Counting = { isInOrderOf: [], plan: { kind: 'newestVisitors' } };
