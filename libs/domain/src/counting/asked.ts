import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Bucket } from '../query/buckets';
import type { SelectedSessions } from './selected-sessions';
import type { Table } from './tables';

/**
 * A filter as the values it matches: dictionary ids (0 = missing) for a website, texts ('' = missing) for a link, uuids
 * for a filter that names one visitor or session.
 */
export interface ValueFilter {
  readonly field: string;
  readonly values: readonly (number | string)[];
  readonly negated: boolean;
}

/** What counts depend on beside the sessions. */
export interface Question {
  /** The range as instants (epoch ms), end excluded. */
  readonly from: number;
  readonly to: number;
  /** Of the range up to now; a series has one row for each. Other shapes have none. */
  readonly buckets: readonly Bucket[];
  readonly filters: readonly ValueFilter[];
  /** Filters on the metric of vitals, by the places of their metrics. */
  readonly metricFilters: readonly ValueFilter[];
  /** Of less of a count the other figures of a row say little. */
  readonly minSamples: number;
}

/** Rows of a table that has nothing to do with sessions. */
export type LookedUp = Readonly<Record<string, number | null>>;

/** What is counted. */
export interface Asked {
  readonly sessions: SelectedSessions;
  readonly question: Question;
  /** What was looked up for the count. */
  readonly lookup: readonly LookedUp[];
  /** Instead of sessions, where all follows from it. */
  readonly kept?: KeptDays;
}

/** What is kept of the days of a range (since 1970-01-01, both included). */
export interface KeptDays {
  readonly since: number;
  readonly until: number;
  /** Bytes of packs of a count (`kept-bytes`), which may have other days, too. */
  readonly packsOf: (name: string) => readonly Uint8Array[];
}

/** How rows are counted from columns of sessions. */
export interface Counting<Of extends Asked = Asked> {
  /** What it reads, beside the fields that filters are about. */
  readonly fields?: readonly SessionField[];
  readonly units?: readonly Unit[];
  /** The names of the counts that are kept from which it follows, too; undefined = it does not. */
  readonly kept?: readonly string[] | undefined;
  /** Times are epoch ms. A pure function. */
  readonly count: (asked: Of) => Table;
}
