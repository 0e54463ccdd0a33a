import type { Rollup, StoredFigure } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { endToEnd, take } from './columns';
import { extremesOf, firstsOf, groupsOf, groupsOfAll, latestOf, orderOf, sumsOf, type RowGroups } from './groups';

/** Where the columns of a part are: the days are the first one, then the keys. */
export interface RollupLayout {
  /** The texts of its keys. */
  readonly keys: readonly string[];
  readonly measures: readonly MeasureLayout[];
  readonly width: number;
}

/** A stored figure of how many different visitors or sessions there were. */
export type DistinctFigure = Extract<StoredFigure, { readonly what: 'visitors' | 'sessions' }>;

export interface MeasureLayout {
  /** The text of the figure. */
  readonly name: string;
  readonly stored: StoredFigure;
  /** Its first column. */
  readonly first: number;
}

/**
 * A part of a rollup: an aggregate as rows by day and keys, each of which is a difference: any number of parts add up.
 * Columns, in
 * the order of the layout: the day (since 1970-01-01), each key, and of each measure
 *
 * - sum, least, greatest: the number (of an extreme -1 = none)
 * - latest: the field, and the columns it is the latest by
 * - bins, visitors, sessions: how many entries each row has, then for all entries the bin, or how many days ago they were
 *   there before (0 = never), then how many
 */
export interface RollupPart {
  readonly size: number;
  readonly columns: readonly Numbers[];
}

const layouts = new WeakMap<Rollup, RollupLayout>();

export function layoutOf(rollup: Rollup): RollupLayout {
  const known = layouts.get(rollup);
  if (known) return known;
  const keys = rollup.keys.map(({ text }) => text);
  const measures: MeasureLayout[] = [];
  let width = 1 + keys.length;
  for (const { text, stored } of rollup.figures) {
    measures.push({ name: text, stored: stored, first: width });
    width += hasEntries(stored) ? 3 : widthOf(stored);
  }
  const layout = { keys, measures, width };
  layouts.set(rollup, layout);
  return layout;
}

export const hasEntries = ({ what }: StoredFigure): boolean =>
  what === 'bins' || what === 'visitors' || what === 'sessions';

/** Rows to be merged: columns of a part, with a number of the website of each row. */
export interface RollupRows extends RollupPart {
  readonly website: Numbers;
}

/** The rows of several parts of a rollup in one: see {@link mergeRollupParts}. */
export const mergeRollupRows = (rollup: Rollup, parts: readonly RollupRows[]): RollupRows =>
  mergeRollupParts(layoutOf(rollup), parts);

/** The rows of several parts in one, those of a website and its days one after another; rows that add nothing are left out. */
export function mergeRollupParts(layout: RollupLayout, parts: readonly RollupRows[]): RollupRows {
  const websites = endToEnd(parts.map(({ website }) => website));
  const [days = websites, ...keys] = Array.from({ length: 1 + layout.keys.length }, (_, nth) => columnOf(parts, nth));
  const groups = groupsOfAll([groupsOf(websites).numbers, days.map((day) => day + 1), ...keys], websites.length); // none is negative
  const isSomething = new Uint8Array(groups.count);
  const merged: Numbers[] = [];
  const entries = new Map<MeasureLayout, Entries>();
  for (const measure of layout.measures) {
    if (hasEntries(measure.stored)) entries.set(measure, mergedEntries(groups, parts, measure, isSomething));
    else mergeFigure(groups, parts, measure, { merged, isSomething });
  }
  const firsts = firstsOf(groups);
  const order = inOrder(firsts, isSomething, websites, days);
  const places = take(firsts, order);
  const columns: Numbers[] = [take(days, places), ...keys.map((key) => take(key, places))];
  let nth = 0;
  for (const measure of layout.measures) {
    const some = entries.get(measure);
    if (some) columns.push(...entriesAt(some, order));
    else for (let left = widthOf(measure.stored); left > 0; left--) columns.push(take(merged[nth++] as Numbers, order));
  }
  return { size: order.length, website: take(websites, places), columns };
}

export const widthOf = (stored: StoredFigure): number => (stored.what === 'latest' ? 1 + stored.by.length : 1);

function mergeFigure(
  groups: RowGroups,
  parts: readonly RollupRows[],
  { stored, first }: MeasureLayout,
  { merged, isSomething }: { readonly merged: Numbers[]; readonly isSomething: Uint8Array },
): void {
  const columns = Array.from({ length: widthOf(stored) }, (_, nth) => columnOf(parts, first + nth));
  const figures = figuresOfGroups(groups, stored, columns);
  merged.push(...figures);
  const decisive = figures[stored.what === 'latest' ? 1 : 0] as Numbers;
  const none = stored.what === 'sum' ? 0 : -1;
  for (let row = 0; row < groups.count; row++) if (decisive[row] !== none) isSomething[row] = 1;
}

/** The columns of a sum or an extreme of each group of rows. */
export function figuresOfGroups(
  groups: RowGroups,
  stored: StoredFigure,
  columns: readonly Numbers[],
): readonly Float64Array[] {
  const [values = new Int32Array(), ...by] = columns;
  if (stored.what === 'sum') return [sumsOf(groups, values)];
  if (stored.what !== 'latest') return [extremeOf(groups, values, stored.what === 'least' ? 1 : -1)];
  const found = latestOf(groups, by);
  return columns.map((column) => Float64Array.from(found, (at) => column[at] ?? -1));
}

/** -1 = none. */
function extremeOf(groups: RowGroups, column: Numbers, sign: 1 | -1): Float64Array {
  const known = Float64Array.from(column, (value) => (value < 0 ? sign * Infinity : value));
  return extremesOf(groups, known, sign).map((value) => (Number.isFinite(value) ? value : -1));
}

/** The entries of rows: those of row n are from `starts[n]` up to `starts[n + 1]`. */
interface Entries {
  readonly starts: Int32Array;
  readonly at: Numbers;
  readonly counts: Numbers;
}

function mergedEntries(
  groups: RowGroups,
  parts: readonly RollupRows[],
  { first }: MeasureLayout,
  isSomething: Uint8Array,
): Entries {
  const lengths = columnOf(parts, first);
  const at = columnOf(parts, first + 1);
  const counts = columnOf(parts, first + 2);
  const rows = new Int32Array(at.length);
  for (let row = 0, entry = 0; row < lengths.length; row++)
    for (const end = entry + (lengths[row] as number); entry < end; entry++)
      rows[entry] = groups.numbers[row] as number;
  const entries = addedEntries(groups.count, { rows, at, counts });
  const { starts } = entries;
  for (let row = 0; row < groups.count; row++) if ((starts[row] ?? 0) < (starts[row + 1] ?? 0)) isSomething[row] = 1;
  return entries;
}

/** Entries of the same row and place as one, row by row; those that add up to nothing are left out. */
export function addedEntries(
  size: number,
  { rows, at, counts }: { readonly rows: Int32Array; readonly at: Numbers; readonly counts: Numbers },
): Entries {
  const cells = groupsOfAll([rows, at], at.length);
  const sums = sumsOf(cells, counts);
  const firsts = firstsOf(cells);
  const left = Int32Array.from(firsts, (entry, cell) => (sums[cell] === 0 ? -1 : (rows[entry] as number)));
  const { starts, order } = orderOf({ numbers: left, count: size });
  return { starts, at: take(take(at, firsts), order), counts: take(sums, order) };
}

/** The columns of the entries of some rows. */
export function entriesAt({ starts, at, counts }: Entries, rows: Int32Array): readonly [Numbers, Numbers, Numbers] {
  const lengths = Int32Array.from(rows, (row) => (starts[row + 1] as number) - (starts[row] as number));
  const places = new Int32Array(at.length);
  let size = 0;
  for (const row of rows)
    for (let entry = starts[row] as number; entry < (starts[row + 1] as number); entry++) places[size++] = entry;
  const chosen = places.subarray(0, size);
  return [lengths, take(at, chosen), take(counts, chosen)];
}

/** Rows by website and day, without those that are nothing. */
function inOrder(firsts: Int32Array, isSomething: Uint8Array, websites: Numbers, days: Numbers): Int32Array {
  const rows = new Int32Array(firsts.length);
  let size = 0;
  for (let row = 0; row < firsts.length; row++) if (isSomething[row] === 1) rows[size++] = row;
  const at = (row: number, column: Numbers) => column[firsts[row] as number] as number;
  return rows.subarray(0, size).sort((a, b) => at(a, websites) - at(b, websites) || at(a, days) - at(b, days) || a - b);
}

const columnOf = (parts: readonly RollupRows[], nth: number): Numbers =>
  endToEnd(parts.map(({ columns }) => columns[nth] as Numbers));

/** The first row of this day or a later one, of rows in the order of their days. */
export function firstFrom(days: Numbers, day: number): number {
  let low = 0;
  let high = days.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((days[middle] as number) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}
