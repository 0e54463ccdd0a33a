import type { Plan } from '@ledgerline/aggregation/aggregation';
import {
  type EVENT_FILTERS,
  type IdFilter,
  isIdFilter,
  LINK_FILTERS,
  WEBSITE_FILTERS,
} from '@ledgerline/contracts/attributes';
import type { Link } from '@ledgerline/contracts/records';
import type { RowOrder, AnswerRow } from '@ledgerline/domain/query/rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Sql } from '@ledgerline/platform/database/sql';
import { type ComputeRow, type ResultFields, rowWith, type SqlRow } from './fields';
import type { OptionName, ParameterOptions } from './options';
import type { GivenOptions, QueryContext, Question } from './query-context';

/** The source that SQL reads: rollups by 15 minutes, which add up to the days of any zone, or the single facts. */
export type SqlSource = 'fifteenMinutes' | 'facts';

/** The sources from which a query type can be answered, if it is not only counted; the planner picks one. */
interface Sources extends Readonly<Partial<Record<SqlSource, (context: QueryContext) => Sql>>> {
  /** The rules of facts that are lists of visitors, sessions or events, which are too long to sort outside Postgres. */
  readonly singles?: Singles;
  /** Blocks are by link, and a visitor of several links is in those of each: facts answer for a tag. */
  readonly blocksAreOfOne?: boolean;
  /** Something else than tables of events, which answers alone. */
  readonly own?: OwnSource;
}

interface OwnSource {
  /** Names it among the {@link Services}, and in metrics. */
  readonly name: string;
  /** Why it is read. */
  readonly reason: string;
  /** Can be asked of this as well. */
  readonly alsoAbout?: QueryAbout;
}

/** The services of the api beside the tables of events. */
export interface Services {
  /** The main database, for what no read store has: the logs, the registry and all keys; outside of the snapshot. */
  readonly main: Queryable;
  readonly targets: { readonly linkNames: FindLinkNames };
  /** The other sources from which query types are answered, by name, as far as the caller may read it. */
  readonly sources: Readonly<Record<string, (question: Question) => Promise<QueryRows>>>;
}

/** The rows of a type, before or after they are made what is answered. */
export interface QueryRows {
  readonly rows: readonly SqlRow[];
  /** The number of rows of a list in all. */
  readonly total?: number | undefined;
  /** The notes about the rows. */
  readonly notes?: readonly string[] | undefined;
}

/** Finds what links are called now, by id: those of these that the organization of a website has. */
type FindLinkNames = (websiteId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, LinkNames>>;
export type LinkNames = Pick<Link, 'name' | 'externalId'>;

/** The way in which a type is counted from columns of sessions, or from rollups. */
export interface Counting {
  /** The plan of what is counted; that of a type with options follows from them. */
  readonly plan: Plan | ((asked: Question) => Plan);
  /** Columns of texts: each with the column of its id; an id of 0 is the empty text. */
  readonly texts?: Readonly<Record<string, string>>;
  /**
   * The order of a list that is read from facts: the fields in whose order it finds rows, time first; without it all
   * that sort it.
   */
  readonly isInOrderOf?: readonly string[];
  /** The column of texts in whose own order rows come that are equal otherwise; without it what is shown of them decides. */
  readonly byText?: string;
  /** Returns what has to be said about its rows, beside what the plan says of them. */
  readonly notes?: (asked: Pick<Question, 'options' | 'visitorIdentity'>) => readonly string[];
}

/** The kinds of things that a request can be about. */
export const QUERY_ABOUT = ['website', 'link', 'monitor'] as const;
export type QueryAbout = (typeof QUERY_ABOUT)[number];

/** The kinds of things that a request can name: a tag stands for all links that have it. */
export const QUERY_TARGETS = ['website', 'link', 'tag', 'monitor'] as const;
export type QueryTargetName = (typeof QUERY_TARGETS)[number];

interface Declared {
  readonly name: string;
  /** list: rows in an order, paged · series: one row per bucket, in the order of time · totals: exactly one row. */
  readonly shape: 'list' | 'series' | 'totals';
  readonly category: string;
  readonly description: string;
  /** The fields of a row, in their order. */
  readonly fields: ResultFields;
  /** The kind of thing that it can be asked of; a website by default. */
  readonly about?: QueryAbout;
  /** Needs no credentials for a public website. */
  readonly publicAccess?: boolean;
  readonly takes?: Partial<Takes>;
  /**
   * The range of its answer, unless it is the range that is asked for: the last minutes or today, whatever that is, or
   * the range, but with rows that no earlier one has.
   */
  readonly range?: 'minutes' | 'today' | 'incomparable';
  /** Lists: the order unless the request names another field, or how they are arranged and cut into pages. */
  readonly order?: readonly RowOrder[] | Arrange;
  /** Fields that are not the column of the same name. */
  readonly row?: ComputeRow;
  readonly sources?: Sources;
  /**
   * The counting of sessions or rollups; of a list that also has facts: which rows (`singleUnits`, `singleSessions`).
   */
  readonly counting?: Counting;
}

/** The options that parameters have beside their range. */
interface Takes {
  /** Beside the usual ones: fields that only its kind of events has, and ids, each of which must be given with `eq` or `in`. */
  readonly filters: readonly (keyof typeof EVENT_FILTERS | IdFilter)[];
  readonly options: readonly OptionName[];
  /** The options that must be given. */
  readonly needs: readonly OptionName[];
  /** @throws Problem VALIDATION_ERROR for options that mean nothing, or that ids of visitors cannot answer */
  readonly check?: (asked: GivenOptions) => void;
  /** For so many ms after its range its answer depends on {@link Question.includedQuarter}. */
  readonly goesOnFor?: (asked: GivenOptions) => number;
  /** Options of its example. */
  readonly example?: ParameterOptions;
}

/** The page of a list with an order of its own, and how many entries there are in all. */
type Arrange = (rows: readonly SqlRow[], context: QueryContext, on: Queryable) => Promise<QueryRows> | QueryRows;

/** The way in which single things are listed: their SQL sorts them and cuts out the page. */
interface Singles {
  /** By these fields alone. */
  readonly sortedBy: readonly string[];
  /** Counts all rows, as `total_rows`, where the list's own SQL would take long to count them. */
  readonly countRows?: (context: QueryContext) => Sql;
  /** The plan of that number in one row, where it follows from rollups: then these are read instead. */
  readonly total?: Plan;
}

export interface QueryType extends Omit<Declared, 'order' | 'takes'> {
  readonly about: QueryAbout;
  readonly publicAccess: boolean;
  readonly takes: Omit<Takes, 'filters'> & {
    /** All that it has. */
    readonly filters: readonly string[];
    /** The filters by id that must be given. */
    readonly ids: readonly IdFilter[];
  };
  readonly order: readonly RowOrder[];
  readonly arrange?: Arrange | undefined;
  readonly sources: Sources;
  /** One row of the answer, from a row of the SQL or from an empty one if there was none. */
  readonly row: (found: SqlRow, options?: ParameterOptions) => AnswerRow;
}

export function queryType(declared: Declared): QueryType {
  const { about = 'website', shape, fields, takes = {}, sources = {}, order = BY_SHAPE[shape] } = declared;
  const { filters = [] } = takes;
  return {
    publicAccess: false,
    ...declared,
    about,
    takes: {
      options: [],
      needs: [],
      ...takes,
      filters: sources.own ? [] : filtersOf(about, filters),
      ids: filters.filter(isIdFilter),
    },
    order: typeof order === 'function' ? [] : order,
    arrange: typeof order === 'function' ? order : undefined,
    sources,
    row: rowWith(fields, declared.row),
  };
}

const BY_SHAPE: Readonly<Record<QueryType['shape'], readonly RowOrder[]>> = {
  list: [],
  series: [{ field: 'date', direction: 'asc' }],
  totals: [],
};

function filtersOf(about: QueryAbout, own: readonly string[]): readonly string[] {
  if (about === 'website') return [...WEBSITE_FILTERS, ...own];
  return about === 'link' ? LINK_FILTERS : [];
}

/** False for types about now, of sources of their own and for single things, which no earlier range has; `compare` is ignored. */
export const isComparable = ({ range, sources }: QueryType): boolean =>
  range === undefined && !sources.singles && !sources.own;

/** By each count descending, then by name. */
export const byCounts = (counts: readonly string[], ...names: readonly string[]): readonly RowOrder[] => [
  ...counts.map((field) => ({ field, direction: 'desc' as const })),
  ...names.map((field) => ({ field, direction: 'asc' as const })),
];
