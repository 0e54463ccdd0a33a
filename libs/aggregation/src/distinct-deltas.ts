import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { marksOf } from './aggregate-terms';
import type { ChangedRows } from './changed-rows';
import type { ChangedSessions, History } from './changed-sessions';
import { DenseCodes, rowsWhere, take } from './columns';
import { type Grouped, type DeltaRows } from './delta-groups';
import { orderOf } from './groups';
import type { DistinctFigure } from './rollup-part';

/**
 * The number of visitors or sessions more that were there on a day, and before it last on the previous day; -Infinity =
 * never.
 */
export interface DistinctDeltas extends DeltaRows {
  readonly previousDay: Float64Array;
  readonly count: Float64Array;
}

const PAIRS = new DenseCodes();

/**
 * Computes deltas of distinct counts. Those who were there are known by group and day; a day that comes or goes changes
 * its own row, and that of the next day.
 * Of each visitor of a group only the days are looked at that it has in items that are added or removed, too. Visitors of
 * whom more sessions are needed are left out, and named.
 * @param some visitors with a history; or those that alone are counted
 */
export function distinctOf(
  { of, codes, rowsAt }: Grouped,
  stored: DistinctFigure,
  changed: ChangedSessions,
  some: ReadonlyMap<number, History> | ReadonlySet<number>,
): { readonly found: DistinctDeltas; readonly incomplete: ReadonlySet<number> } {
  const entries = entriesOf(of, codes, stored, changed);
  const isOnly = some instanceof Set;
  const incomplete =
    isOnly || stored.what === 'sessions' ? NO_KEYS : incompleteOf(of, entries, some as ReadonlyMap<number, History>);
  const rows = new DistinctRows(of, codes, entries.places.length);
  for (let pair = 0; pair + 1 < entries.starts.length; pair++) {
    if (isOnly ? !some.has(entries.ownerOf(pair)) : incomplete.has(entries.ownerOf(pair))) continue;
    compareDays(of, entries, pair, (place, before, after) => {
      if (before !== undefined) rows.add(place, before, -1);
      if (after !== undefined) rows.add(place, after, 1);
    });
  }
  return { found: rows.changed(rowsAt), incomplete };
}

const NO_KEYS: ReadonlySet<number> = new Set();

/** The items of each visitor, or session, with a value, one pair after another and in the order of their days. */
interface Entries {
  readonly places: Int32Array;
  /** The starts of pairs, and the end. */
  readonly starts: Int32Array;
  readonly ownerOf: (pair: number) => number;
}

function entriesOf(of: ChangedRows, codes: Int32Array, stored: DistinctFigure, changed: ChangedSessions): Entries {
  const { items, moved, staying, days } = of;
  const marks = stored.where && marksOf(stored.where, items);
  const isOfVisitors = stored.what === 'visitors';
  const owners = isOfVisitors ? changed.visitors : changed.numbers;
  const most = isOfVisitors ? changed.visitorCount : changed.numberCount;
  const ownerAt = (at: number) => owners[items.places[at] as number] as number;
  const keyAt = (at: number): number => {
    const code = codes[at] as number;
    const owner = ownerAt(at);
    return code < 0 || owner < 0 || (marks && marks[at] === 0) ? -1 : code * most + owner;
  };
  const found = new Int32Array(moved.length + staying.length);
  const pairs = new Int32Array(found.length);
  PAIRS.clear(moved.length);
  let size = 0;
  for (let nth = 0; nth < moved.length; nth++) {
    const at = moved[nth] as number;
    const key = keyAt(at);
    if (key < 0) continue;
    found[size] = at;
    pairs[size++] = PAIRS.numberOf(key);
  }
  for (let nth = 0; nth < staying.length && PAIRS.size > 0; nth++) {
    const at = staying[nth] as number;
    const key = keyAt(at);
    const pair = key < 0 ? -1 : PAIRS.find(key);
    if (pair < 0) continue;
    found[size] = at;
    pairs[size++] = pair;
  }
  const { order, starts } = orderOf({ numbers: pairs.subarray(0, size), count: PAIRS.size });
  const places = new Int32Array(size);
  for (let nth = 0; nth < size; nth++) places[nth] = found[order[nth] as number] as number;
  for (let pair = 0; pair + 1 < starts.length; pair++) {
    const from = starts[pair] as number;
    const to = starts[pair + 1] as number;
    if (to - from > 1) sortByDay(places.subarray(from, to), days);
  }
  return { places, starts, ownerOf: (pair) => ownerAt(places[starts[pair] as number] as number) };
}

/** For each day of a pair whose row changes: an item of it, with an item of the previous day before and after (-1 = never). */
function compareDays(
  { days, signs }: ChangedRows,
  { places, starts }: Entries,
  pair: number,
  differs: (place: number, before: number | undefined, after: number | undefined) => void,
): void {
  const to = starts[pair + 1] as number;
  let before = -1;
  let after = -1;
  for (let nth = starts[pair] as number; nth < to;) {
    const place = places[nth] as number;
    const day = days[place];
    let wasThere = false;
    let isThere = false;
    for (; nth < to; nth++) {
      const same = places[nth] as number;
      if (days[same] !== day) break;
      if (signs[same] !== 1) wasThere = true;
      if (signs[same] !== -1) isThere = true;
    }
    if (wasThere !== isThere || daysDiffer(days, before, after))
      differs(place, wasThere ? before : undefined, isThere ? after : undefined);
    if (wasThere) before = place;
    if (isThere) after = place;
  }
}

/**
 * The visitors of whom an earlier or a later day may lie in sessions that are left out: where a row changes whose previous
 * day is not found, or is farther away than they are, or where the next day is.
 */
function incompleteOf(of: ChangedRows, entries: Entries, histories: ReadonlyMap<number, History>): ReadonlySet<number> {
  if (histories.size === 0) return NO_KEYS;
  const { days } = of;
  const incomplete = new Set<number>();
  for (let pair = 0; pair + 1 < entries.starts.length; pair++) {
    const owner = entries.ownerOf(pair);
    const history = histories.get(owner);
    if (!history || incomplete.has(owner)) continue;
    const isUnknown = (place: number | undefined) => {
      const previous = place === undefined ? Infinity : place < 0 ? -Infinity : (days[place] as number);
      return previous < history.since && previous < history.earlierUntil;
    };
    let changes = 0;
    let next = Infinity;
    for (let nth = entries.starts[pair] as number; nth < (entries.starts[pair + 1] as number); nth++) {
      const day = days[entries.places[nth] as number] as number;
      if (day > history.until) next = Math.min(next, day);
    }
    compareDays(of, entries, pair, (_, before, after) => {
      changes++;
      if (isUnknown(before) || isUnknown(after)) incomplete.add(owner);
    });
    if (changes > 0 && next > history.laterSince) incomplete.add(owner);
  }
  return incomplete;
}

const daysDiffer = (days: Numbers, a: number, b: number): boolean =>
  (a < 0 ? -Infinity : days[a]) !== (b < 0 ? -Infinity : days[b]);

/** Few entries by insertion, as most are. */
function sortByDay(places: Int32Array, days: Float64Array): void {
  if (places.length > 16) {
    places.sort((a, b) => (days[a] as number) - (days[b] as number));
    return;
  }
  for (let nth = 1; nth < places.length; nth++) {
    const place = places[nth] as number;
    const day = days[place] as number;
    let at = nth;
    for (; at > 0 && (days[places[at - 1] as number] as number) > day; at--) places[at] = places[at - 1] as number;
    places[at] = place;
  }
}

const ROWS = new DenseCodes();

/** By group, day and previous day. */
class DistinctRows {
  private readonly places: Int32Array;
  private readonly previous: Int32Array;
  private readonly counts: Float64Array;

  constructor(
    private readonly of: ChangedRows,
    private readonly codes: Int32Array,
    size: number,
  ) {
    const most = 2 * size; // each entry begins at most a day that was there and one that is
    this.places = new Int32Array(most);
    this.previous = new Int32Array(most);
    this.counts = new Float64Array(most);
    ROWS.clear(most);
  }

  /** To the group and day of an item; the previous day is that of another item, or -1. */
  add(place: number, previous: number, count: 1 | -1): void {
    const { buckets, bucketCount, dayNumbers } = this.of;
    const cell = (this.codes[place] as number) * bucketCount + (buckets[place] as number);
    const row = ROWS.numberOf(cell * (bucketCount + 1) + (previous < 0 ? 0 : (dayNumbers[previous] as number) + 1));
    this.places[row] = place;
    this.previous[row] = previous;
    this.counts[row] = (this.counts[row] as number) + count;
  }

  changed(rowsAt: Grouped['rowsAt']): DistinctDeltas {
    const changes = new Uint8Array(ROWS.size);
    for (let row = 0; row < changes.length; row++) changes[row] = this.counts[row] === 0 ? 0 : 1;
    const rows = rowsWhere(changes);
    const previousDay = new Float64Array(rows.length);
    for (let nth = 0; nth < rows.length; nth++) {
      const previous = this.previous[rows[nth] as number] as number;
      previousDay[nth] = previous < 0 ? -Infinity : (this.of.days[previous] as number);
    }
    return { ...rowsAt(take(this.places, rows)), previousDay, count: take(this.counts, rows) };
  }
}
