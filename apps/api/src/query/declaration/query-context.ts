import type { SelectingFilter } from '@ledgerline/aggregation/aggregation';
import type { SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { TimeBucket, Granularity } from '@ledgerline/domain/query/buckets';
import type { InclusiveDays } from '@ledgerline/domain/query/date-range';
import type { RowOrder, PageRequest } from '@ledgerline/domain/query/rows';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { ParameterOptions } from './options';

/** A page that no list exceeds; also a limit that Postgres takes. */
export const EVERY_ROW: PageRequest = { page: 1, limit: 2 ** 31 - 1 };

/** A question to one query type, as plain data. */
export interface Question extends InclusiveDays {
  /** The id of the link or monitor, or of the website in queries about websites. */
  readonly targetId: string;
  /** The ids that are added up: that one, or all links of a tag. */
  readonly ids: readonly string[];
  /** True for a monitor that is not checked any more, until it is resumed. */
  readonly isPaused: boolean;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly zone: string;
  /** The range as instants (epoch ms), end excluded. */
  readonly from: number;
  readonly to: number;
  readonly granularity: Granularity;
  /** The buckets of the range up to now; a series has one row for each. Other shapes have none. */
  readonly buckets: readonly TimeBucket[];
  /** Epoch ms. */
  readonly now: number;
  /** Everything that arrived before it is included: the begin of a quarter of an hour, epoch ms. */
  readonly includedQuarter: number;
  /** The page of a list; {@link EVERY_ROW} where all rows are wanted. */
  readonly page: PageRequest;
  /** True if the request has a limit; only then a series is cut. */
  readonly isLimited: boolean;
  /** The order of the request; null = the default order of the type. */
  readonly sort: RowOrder | null;
  readonly filters: readonly SelectingFilter[];
  /** The filters of a share that are on pages: page views that they do not select are not named. */
  readonly shareFilters: readonly SelectingFilter[];
  /** Filters on `metric_name`, which select vitals by the places of their metrics. */
  readonly metricFilters: readonly SelectingFilter[];
  /** The {@link Minimum} of its rows. */
  readonly minSamples: number;
  /** So many minutes of the clock are asked for, the present one included; without it those of the type. */
  readonly minutes?: number | undefined;
  /** The options of the parameter beside its range. */
  readonly options: ParameterOptions;
  /** The criteria of the segment that is asked for: what its sessions did, or did not. */
  readonly did: SegmentDefinition['did'];
  /** The time for which one visitor keeps an id. */
  readonly visitorIdentity: string;
}

/** The expired days of a website, of which rollups alone are left, or of monitors, of which nothing is. */
interface Expired {
  /** The first day of which everything is kept, in the website's zone, or UTC. */
  readonly before: string;
  /** The day that this was at first. */
  readonly first: string;
  /** When it began, ISO 8601. */
  readonly until: string;
  /** The columns of rollups that are left of all earlier days. */
  readonly rollups: readonly string[];
}

/** Returns whether a time is one of which only rollups are left; epoch ms. */
export const isPastRetention = ({ expired }: Pick<QueryContext, 'expired'>, at: number): boolean =>
  expired !== null && at < Date.parse(expired.until);

/** The context from which one query type is answered. */
export interface QueryContext extends Question {
  /** The website's id in the dictionary; -1, which no row has, for links and monitors and before a website's first event. */
  readonly website: number;
  /** The table of a read model in the live version. */
  readonly table: (model: ReadModel) => Sql;
  /** The columns of rollups that answer, others are being filled; none in links and monitors. */
  readonly rollups: ReadonlySet<string>;
  /** Null = nothing is. */
  readonly expired: Expired | null;
  /**
   * The rows of a list that is read from facts: the times of these; of single things those up to the end of the page,
   * with the numbers by which they are sorted.
   */
  readonly found?: { readonly times: readonly number[]; readonly values?: readonly number[] } | undefined;
  /** Only what rows of the range are compared with: others may be left out. */
  readonly isEarlier?: boolean;
}

export type GivenOptions = Pick<Question, 'options' | 'visitorIdentity'>;

/** Returns whether a list is needed whole: all of its rows are wanted, or they are in another order than by default. */
export const wantsEveryRow = ({ page: { limit }, sort }: Pick<Question, 'page' | 'sort'>): boolean =>
  sort !== null || limit === EVERY_ROW.limit;
