import { isOfHits } from '@ledgerline/contracts/attributes';
import type { Numbers, SessionField, Unit, UnitColumns } from '@ledgerline/contracts/read-models/session-days';
import type { RowGroups } from './groups';
import { blank, bytes, integers } from './scratch';

/**
 * A filter as the values it matches: dictionary ids (0 = missing) for a website, texts ('' = missing) for a link, uuids
 * for a filter that names one visitor or session.
 */
export interface ValueFilter {
  readonly field: string;
  readonly values: readonly (number | string)[];
  readonly negated: boolean;
}

/** A filter that selects; of several alternatives one must hold, event by event. */
export type SelectingFilter = ValueFilter | { readonly any: readonly ValueFilter[] };

export const alternativesOf = (filter: SelectingFilter): readonly ValueFilter[] =>
  'any' in filter ? filter.any : [filter];

/** Returns whether a filter selects single hits; all others select sessions. */
export const selectsHits = (filter: SelectingFilter): boolean =>
  alternativesOf(filter).some(({ field }) => isOfHits(field));

/** The buckets of a series, numbered from 1; other tables have none. */
export interface BucketSeries {
  /** By bucket: its day (since 1970-01-01), where buckets are days. */
  readonly days: readonly number[];
  /** The times (epoch ms) that buckets consist of, in order and without gaps. */
  readonly stretches: readonly { readonly from: number; readonly to: number; readonly bucket: number }[];
}

export const NO_SERIES: BucketSeries = { days: [], stretches: [] };

/** The part of a request that counts depend on beside the sessions. */
export interface CountRequest {
  /** The range as instants (epoch ms), end excluded. */
  readonly from: number;
  readonly to: number;
  readonly series: BucketSeries;
  readonly filters: readonly SelectingFilter[];
  /** Filters of a share on pages: page views that they do not select are not named. */
  readonly shareFilters?: readonly SelectingFilter[];
  /** Filters on the metric of vitals, by the places of their metrics. */
  readonly metricFilters: readonly SelectingFilter[];
  /** The count of a row below which its other figures say little. */
  readonly minSamples: number;
  /** So many of the first rows of a list are wanted at least; Infinity = all. */
  readonly top: number;
}

/** Rows of a table that has nothing to do with sessions. */
export type LookupRow = Readonly<Record<string, number | null>>;

/** The sessions that are counted, with the request and what was looked up for it. */
export interface CountScope {
  readonly sessions: SelectedSessions;
  readonly request: CountRequest;
  /** The rows that were looked up for the count. */
  readonly lookup: readonly LookupRow[];
  /** Instead of sessions, where all follows from it. */
  readonly rollups?: RollupScope;
}

/** The rollups of the days of a range (since 1970-01-01, both included). */
export interface RollupScope {
  readonly since: number;
  readonly until: number;
  /** Bytes of parts of a count, which may have other days, too. */
  readonly packsOf: (name: string) => readonly Uint8Array[];
}

/**
 * The sessions that the filters of a question on attributes select, as columns: each place holds one session. Those
 * without an event in its range may be among them; they add nothing.
 */
export interface SelectedSessions {
  readonly size: number;
  /** By visitor; those without one are in no group. */
  readonly visitors: RowGroups;
  /** 1 = a session whose first page view lies in the range and of which filters on pages select at least one page view. */
  readonly isCounted: Uint8Array;
  /** The mark of each page view: 0 = a share does not name its page; absent = all are named. */
  readonly isNamed?: Uint8Array | undefined;
  readonly field: (name: SessionField) => Numbers;
  readonly unit: (name: Unit) => SelectedUnits;
}

/** All units of a kind that these sessions have; a field is one of `UNIT_FIELDS`, or of their session. */
export interface SelectedUnits extends UnitColumns {
  /** The place of each one's session, ascending. */
  readonly places: Int32Array;
  /** 1 = filters on pages select it. */
  readonly isSelected: Uint8Array;
  /** 1 = it lies in the range, too. */
  readonly isIn: Uint8Array;
}

/** By the bucket of a series that an item's time lies in. */
export const BUCKET = { bucket: 'at' } as const;

/** The bucket of each time; -1 outside of the range. */
export function bucketsAt({ series: { stretches } }: Pick<CountRequest, 'series'>, times: Numbers): Int32Array {
  const bounds = [...stretches.map(({ from }) => from), stretches.at(-1)?.to ?? 0];
  const buckets = Int32Array.from([-1, ...stretches.map(({ bucket }) => bucket), -1]);
  return bucketsIn(times, Float64Array.from([-Infinity, ...bounds, Infinity]), buckets);
}

/** Bucket n lies between bounds n and n + 1, the first and the last of which are infinite. */
function bucketsIn(times: Numbers, bounds: Float64Array, buckets: Int32Array): Int32Array {
  const found = blank(Int32Array, times.length);
  const first = bounds[1] ?? 0;
  const last = bounds[bounds.length - 2] ?? 0;
  const perBucket = Math.max(1, (last - first) / Math.max(1, bounds.length - 3));
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    // TRICKY: most buckets are equally long, so that the right one is guessed, or is next to it
    let nth = Math.min(Math.max(Math.floor((at - first) / perBucket) + 1, 0), buckets.length - 1);
    while (at < (bounds[nth] ?? 0)) nth--;
    while (at >= (bounds[nth + 1] ?? Infinity)) nth++;
    found[place] = buckets[nth] ?? -1;
  }
  return found;
}

/** Sets 0 where none of the alternatives of a filter leaves the mark. */
export function dropUnlessAny(
  filter: SelectingFilter,
  isPassing: Uint8Array,
  drop: (alternative: ValueFilter, marks: Uint8Array) => void,
): void {
  if (!('any' in filter)) {
    drop(filter, isPassing);
    return;
  }
  const passesAny = bytes(isPassing.length);
  for (const alternative of filter.any) {
    const marks = bytes(isPassing.length);
    marks.set(isPassing);
    drop(alternative, marks);
    for (let place = 0; place < marks.length; place++) if (marks[place] === 1) passesAny[place] = 1;
  }
  isPassing.set(passesAny);
}

/** Sets 0 where the id does not pass the filter. TRICKY: a bit for each id is several times faster than a set. */
export function dropUnmatched(ids: Numbers, { values, negated }: ValueFilter, isPassing: Uint8Array): void {
  const wanted = values.map(Number);
  const most = wanted.reduce((a, b) => Math.max(a, b), 0);
  const bits = integers((most >>> 5) + 1);
  for (const id of wanted) bits[id >>> 5] = (bits[id >>> 5] ?? 0) | (1 << (id & 31));
  const dropped = negated ? 1 : 0;
  for (let place = 0; place < isPassing.length; place++) {
    const id = ids[place] as number;
    const bit = ((bits[id >>> 5] ?? 0) >>> (id & 31)) & 1;
    isPassing[place] = (isPassing[place] as number) & (bit ^ dropped);
  }
}
