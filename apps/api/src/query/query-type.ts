import { type EVENT_FILTERS, LINK_FILTERS, WEBSITE_FILTERS } from '@ledgerline/contracts/attributes';
import type { SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { Link } from '@ledgerline/contracts/records';
import {
  type Plan,
  type PlanReads,
  readsOf,
  type SelectingFilter,
  type ValueFilter,
} from '@ledgerline/aggregation/aggregation';
import type { OptionName } from './request/parameter-options.dto';
import type { ParameterOptions } from './options';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Bucket, Granularity } from '@ledgerline/domain/query/buckets';
import type { Days } from '@ledgerline/domain/query/date-range';
import type { Order, Page, Row } from '@ledgerline/domain/query/rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Sql } from '@ledgerline/platform/database/sql';
import { valueOf, type Fields, type SqlRow } from './fields';

/** A page that no list exceeds; also a limit that Postgres takes. */
export const EVERY_ROW: Page = { page: 1, limit: 2 ** 31 - 1 };

/** Everything that the SQL of a query type depends on. */
export interface QueryContext extends Days {
  /** The website's id in the dictionary; -1, which no row has, for a link and before a website's first event. */
  readonly website: number;
  /** The id of the link or monitor, or of the website in queries about websites. */
  readonly link: string;
  /** True for a monitor that is not checked any more, until it is resumed. */
  readonly isPaused: boolean;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly zone: string;
  /** The range as instants (epoch ms), end excluded. */
  readonly from: number;
  readonly to: number;
  readonly granularity: Granularity;
  /** Of the range up to now; a series has one row for each. Other shapes have none. */
  readonly buckets: readonly Bucket[];
  /** Epoch ms. */
  readonly now: number;
  /** Of a list; {@link EVERY_ROW} where all rows are wanted. */
  readonly page: Page;
  /** True if the request has a limit; only then a series is cut. */
  readonly isLimited: boolean;
  /** The order of the request; null = the default order of the type. */
  readonly sort: Order | null;
  readonly filters: readonly SelectingFilter[];
  /** Those of a share that are on pages: page views that they do not select are not named. */
  readonly shareFilters: readonly SelectingFilter[];
  /** Filters on `metric_name`, which select vitals by the places of their metrics. */
  readonly metricFilters: readonly SelectingFilter[];
  /** The {@link Minimum} of its rows. */
  readonly minSamples: number;
  /** So many minutes of the clock are asked for, the present one included; without it those of the type. */
  readonly minutes?: number | undefined;
  /**
   * Of a list that is read from facts: the times of these; of single things those up to the end of the page, with the
   * numbers by which they are sorted.
   */
  readonly found?: { readonly times: readonly number[]; readonly values?: readonly number[] };
  /** The rows that those of an earlier range are wanted for: a list may leave out all others. */
  readonly beside?: readonly Row[];
  /** The table of a read model in the live version. */
  readonly table: (model: ReadModel) => Sql;
  /** The columns of rollups that answer; others are being filled. */
  readonly rollups: ReadonlySet<string>;
  /** What the parameter has beside its range. */
  readonly options: ParameterOptions;
  /** What sessions of the segment that is asked for did, or did not. */
  readonly did: SegmentDefinition['did'];
  /** How long one visitor keeps an id. */
  readonly visitorIdentity: string;
  /** Everything that arrived before it is included: the begin of a quarter of an hour, epoch ms. */
  readonly includedQuarter: number;
}

/** Whether a list is needed whole: all of its rows are wanted, or they are in another order than by default. */
export const wantsEveryRow = ({ page: { limit }, sort }: Pick<QueryContext, 'page' | 'sort'>): boolean =>
  sort !== null || limit === EVERY_ROW.limit;

/** What SQL reads: rollups by 15 minutes, which add up to the days of any zone, or the single facts. */
export type Source = 'fifteenMinutes' | 'facts';
type Sources = Readonly<Partial<Record<Source, (context: QueryContext) => Sql>>>;

/** What executes a query type: counts that are kept, SQL over rollups, loops over columns of sessions, SQL over single facts, or what reads the history of decided events. */
export type Executor = 'keptCounts' | 'rollups' | 'sessionColumns' | 'facts' | 'history';

/** What links are called now, by id: those of these that the organization of a website has. */
export type FindLinkNames = (websiteId: string, ids: readonly string[]) => Promise<ReadonlyMap<string, LinkNames>>;
export type LinkNames = Pick<Link, 'name' | 'externalId'>;

/** How a type is counted from columns of sessions, or from kept counts. */
export interface SessionCounting {
  /** What is counted; that of a type with options follows from them. */
  readonly plan: Plan | ((asked: QueryContext) => Plan);
  /** Columns of texts: each with the column of its id; an id of 0 is the empty text. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Of a list that is read from facts: the fields in whose order it finds rows, time first; without it all that sort it. */
  readonly isInOrderOf?: readonly string[];
  /** What has to be said about its rows, beside what the plan says of them. */
  readonly notes?: (asked: Pick<QueryContext, 'options' | 'visitorIdentity'>) => readonly string[];
}

/** What a type evaluates, and the rollups from which it follows; undefined where that depends on options. */
export const readsOfType = ({ plan }: SessionCounting): PlanReads | undefined =>
  typeof plan === 'function' ? undefined : readsOf(plan);

/** What a request can be about. */
export const QUERY_ABOUT = ['website', 'link', 'monitor'] as const;
export type QueryAbout = (typeof QUERY_ABOUT)[number];

/** Of less of a count the other figures of a row say little: such rows are left out, or in a series have no estimates. */
export interface Minimum {
  readonly of: string;
  /** Unless a request names `minSamples`. */
  readonly byDefault: number;
}

interface Declared {
  readonly name: string;
  /** A website by default. */
  readonly about?: QueryAbout;
  /** Can be asked of this as well. */
  readonly alsoAbout?: QueryAbout;
  /** list: rows in an order, paged · series: one row per bucket, in the order of time · totals: exactly one row. */
  readonly shape: 'list' | 'series' | 'totals';
  readonly category: string;
  readonly description: string;
  /** Needs no credentials for a public website. */
  readonly publicAccess?: boolean;
  /** The fields of a row, in their order. */
  readonly fields: Fields;
  /** The SQL for each source it can be answered from, if it is not only counted; the planner picks one. */
  readonly sources?: Sources;
  /** Adds columns that only the main database has, such as keys. */
  readonly complete?: (
    found: readonly SqlRow[],
    from: { readonly main: Queryable; readonly targets: { readonly linkNames: FindLinkNames } },
    context: Pick<QueryContext, 'link'>,
  ) => Promise<readonly SqlRow[]>;
  /** Of a list that also has facts: which rows, which are read from these (`singleUnits`, `singleSessions`). */
  readonly sessionColumns?: SessionCounting;
  readonly minimum?: Minimum;
  /** Series: a number by which it splits into several, each with a row for every bucket. */
  readonly splitBy?: string;
  /** Fields that are not the column of the same name. */
  readonly row?: (found: SqlRow, options: ParameterOptions) => Row;
  /** Lists: the order unless the request names another field. */
  readonly order?: readonly Order[];
  /** Lists in the order of time: a limit keeps the newest rows, as it does of a series. */
  readonly pagesFromNewest?: boolean;
  /** Ids of what the answer is about, beside the usual filters; each must be given with `eq` or `in`. */
  readonly requiredFilters?: readonly IdFilter[];
  /** Filters on a field that only its kind of events has. */
  readonly ownFilters?: readonly (keyof typeof EVENT_FILTERS)[];
  /** For so many ms after its range its answer depends on {@link QueryContext.includedQuarter}. */
  readonly goesOnFor?: (asked: Pick<QueryContext, 'options' | 'visitorIdentity'>) => number;
  /** Its answer is about the last minutes or today, whatever range is asked for. */
  readonly isAboutNow?: 'minutes' | 'today';
  /** Lists of visitors, sessions or events, which are too long to sort outside Postgres. */
  readonly singles?: Singles;
  /** What its parameters may have beside their range, and what they must. */
  readonly takes?: readonly OptionName[];
  readonly needs?: readonly OptionName[];
  /** Without any of these it has no rows. */
  readonly rowsOf?: 'goals';
  /** @throws Problem VALIDATION_ERROR for options that mean nothing, or that ids of visitors cannot answer */
  readonly check?: (asked: Pick<QueryContext, 'options' | 'visitorIdentity'>) => void;
  /** Of a list with an order of its own: the page in it, and how many entries there are in all. */
  readonly arrange?: (found: readonly SqlRow[], context: QueryContext, on: Queryable) => Promise<Arranged> | Arranged;
  /** Its rows are read from what the registry and the event store know, as its caller may, and not from tables of events. */
  readonly isOfHistory?: boolean;
  /** False where no earlier range has the same rows. */
  readonly isComparable?: boolean;
  /** Options of its example. */
  readonly example?: ParameterOptions;
}

interface Arranged {
  readonly found: readonly SqlRow[];
  readonly total: number;
}

/** How single things are listed: their SQL sorts them and cuts out the page. */
interface Singles {
  /** By these fields alone. */
  readonly sortedBy: readonly string[];
  /** How many there are in all, as `total_rows`, where the list's own SQL would take long to count them. */
  readonly countRows?: (context: QueryContext) => Sql;
  /** The same in one row, where it follows from kept counts: then these are read instead. */
  readonly total?: Plan;
}

export interface QueryType extends Declared {
  readonly about: QueryAbout;
  readonly sources: Sources;
  readonly publicAccess: boolean;
  /** False for types about now, of history and for single things, which no earlier range has; `compare` is ignored. */
  readonly isComparable: boolean;
  readonly pagesFromNewest: boolean;
  readonly allowedFilters: readonly string[];
  readonly requiredFilters: readonly IdFilter[];
  readonly granularity?: readonly Granularity[];
  readonly order: readonly Order[];
  readonly takes: readonly OptionName[];
  readonly needs: readonly OptionName[];
  /** One row of the answer, from a row of the SQL or from an empty one if there was none. */
  readonly row: (found: SqlRow, options?: ParameterOptions) => Row;
}

export function queryType(declared: Declared): QueryType {
  const {
    about = 'website',
    shape,
    fields,
    isAboutNow,
    isOfHistory = false,
    singles,
    requiredFilters = [],
    ownFilters = [],
    row: computed = (): Row => ({}),
  } = declared;
  return {
    about,
    sources: {},
    publicAccess: false,
    isComparable: !isAboutNow && !singles && !isOfHistory,
    pagesFromNewest: shape === 'series',
    allowedFilters: isOfHistory ? [] : filtersOf(about, ownFilters, requiredFilters),
    requiredFilters,
    takes: [],
    needs: [],
    order: shape === 'series' ? [{ field: 'date', direction: 'asc' }] : [],
    ...(shape === 'series' ? { granularity: ['hourly', 'daily', 'weekly', 'monthly'] } : {}),
    ...declared,
    row(found, options = {}) {
      const values = computed(found, options);
      const columns = Object.entries(fields);
      return Object.fromEntries(
        columns.map(([name, field]) => [name, name in values ? values[name] : valueOf(name, field, found)]),
      );
    },
  };
}

function filtersOf(
  about: QueryAbout,
  ownFilters: readonly string[],
  requiredFilters: readonly IdFilter[],
): readonly string[] {
  if (about === 'website') return [...WEBSITE_FILTERS, ...ownFilters, ...requiredFilters];
  return about === 'link' ? LINK_FILTERS : [];
}

/** By each count descending, then by name. */
export const byCounts = (counts: readonly string[], ...names: readonly string[]): readonly Order[] => [
  ...counts.map((field) => ({ field, direction: 'desc' as const })),
  ...names.map((field) => ({ field, direction: 'asc' as const })),
];

/** Filters that name one visitor or session, by the ids in answers. */
const ID_FILTERS = ['session_id', 'visitor_id'] as const;
export type IdFilter = (typeof ID_FILTERS)[number];

export const isIdFilter = (field: string): field is IdFilter => (ID_FILTERS as readonly string[]).includes(field);

/** A filter that names one visitor or session; these stand alone. */
export const idFilterOf = (filter: SelectingFilter): (ValueFilter & { readonly field: IdFilter }) | undefined =>
  'field' in filter && isIdFilter(filter.field) ? { ...filter, field: filter.field } : undefined;
