import { type Table, columnOf, joined, mapped, rowsAt } from './tables';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { floats, integers, remember } from '../session-days/scratch';
import { binValue } from '../sessions/session';
import { dayNumber } from '../time/zones';
import type { Asked, KeptDays } from './asked';
import { everyPlace, gathered, placesWith } from './columns';
import type { Count, Kept, KeptCount, Key, Measure } from './count';
import { firstsOf, groupOfEach, groupsOfAll, orderOf, type Groups } from './groups';
import type { Items } from './items';
import { KeptRange } from './kept-range';
import type { MeasureLayout } from './kept-pack';
import { sumsOf } from './measures';
import { BUCKET } from './series-bucket';

/**
 * The names of the counts that are kept from which a count follows; undefined = it does not.
 * @throws Error of a count that follows from what is kept but for a condition, a key or a measure
 */
export function keptNames({ kept, by = {}, where, measures }: Count): readonly string[] | undefined {
  if (!kept) return undefined;
  if (where !== kept.where) throw new Error(`Of ${kept.name} nothing is kept under such a condition.`);
  const wanted = Object.values(by).filter((key) => key !== BUCKET);
  for (const key of wanted) keyOf(kept, key);
  const without = Object.entries(kept.by ?? {}).filter(
    ([name, key]) => !kept.follows?.includes(name) && !wanted.includes(key),
  );
  const finer = Object.values(measures).flatMap(({ different }) => (different ? [different.within.name] : []));
  for (const [name, measure] of Object.entries(measures)) {
    if (measure.different) continue;
    const { what } = measureOf(kept, measure);
    if ((what === 'visitors' || what === 'sessions') && without.length > 0)
      throw new Error(`The ${name} of ${kept.name} do not add up.`);
  }
  return [kept.name, ...finer];
}

/** A count from what is kept: see `countOf`. */
export function countKept(count: Count, asked: Asked, days: KeptDays): Table {
  const { kept, by = {}, only, measures } = count;
  if (!kept) throw new Error('Nothing is kept of this count.');
  const isSeries = Object.values(by).includes(BUCKET);
  const range = new KeptRange(kept, days);
  const field = (key: Key) => (key === BUCKET ? bucketsOf(range.days, asked) : range.key(keyOf(kept, key)));
  const columns = mapped(by, field);
  const isWhole = range.isOfOneDay && !only && wholeKeys(kept, by);
  const groups = isWhole
    ? groupOfEach(range.size)
    : groupsOfAll(Object.values(columns), range.size, only?.of(itemsOf(range, asked, field)));
  const named = mapped(columns, (column) => Float64Array.from(gathered(column, firstsOf(groups))));
  const own = Object.entries(measures).filter(([, { different }]) => !different);
  const figures = own.map(
    ([name, measure]) => [name, figureOf(groups, range, measure, isSeries ? undefined : days.since)] as const,
  );
  const table = {
    size: groups.count,
    columns: { ...named, ...Object.fromEntries(figures.map(([name, { values }]) => [name, values])) },
  };
  const isSomething = new Uint8Array(groups.count).fill(Object.keys(by).length === 0 ? 1 : 0);
  for (const [, { counts }] of figures)
    for (let row = 0; row < isSomething.length; row++) if ((counts?.[row] ?? 0) !== 0) isSomething[row] = 1;
  return withDifferent(rowsAt(table, placesWith(isSomething)), count, asked, days);
}

/** Whether a count has all keys of the kept one, so that rows of a day that a pack has are groups. */
const wholeKeys = ({ by: all = {} }: KeptCount, by: NonNullable<Count['by']>): boolean =>
  Object.values(all).every((key) => Object.values(by).includes(key)) && !Object.values(by).includes(BUCKET);

/** Only fields that are keys. */
const itemsOf = (range: KeptRange, asked: Asked, field: (key: Key) => Numbers): Items => ({
  ...asked,
  size: range.size,
  places: everyPlace(range.size),
  isIn: new Uint8Array(range.size).fill(1),
  field: remember(field),
});

/** The name of a key that is kept. */
function keyOf({ name, by = {} }: KeptCount, key: Key): string {
  const found = Object.entries(by).find(([, each]) => each === key);
  if (!found) throw new Error(`Of ${name} nothing is kept by ${typeof key === 'string' ? key : 'such a key'}.`);
  return found[0];
}

const isSame = (a: Kept, b: Kept): boolean => {
  const fieldOf = (kept: Kept) => ('field' in kept ? kept.field : undefined);
  return a.what === b.what && a.where === b.where && fieldOf(a) === fieldOf(b);
};

function measureOf({ name, measures }: KeptCount, { keeps }: Measure): Kept & { readonly name: string } {
  const found = Object.entries(measures).find(([, of]) => keeps && of.keeps && isSame(of.keeps, keeps));
  if (!found?.[1].keeps) throw new Error(`Such a measure of ${name} is not kept.`);
  return { ...found[1].keeps, name: found[0] };
}

/** The bucket of each row of a series of days. */
function bucketsOf(days: Int32Array, { question }: Asked): Int32Array {
  const numbers = new Map(question.buckets.map(({ label }, nth) => [dayNumber(label), nth + 1]));
  return days.map((day) => numbers.get(day) ?? -1);
}

interface FigureOfGroups {
  readonly values: Float64Array;
  /** That is not 0 in groups of which there is something; absent = the figure does not say. */
  readonly counts?: Float64Array;
}

/** @param since the first day of the range; undefined = each day stands for itself */
function figureOf(groups: Groups, range: KeptRange, measure: Measure, since: number | undefined): FigureOfGroups {
  const layout = range.measure(measureOf(range.count, measure).name);
  const { kept } = layout;
  if (kept.what === 'bins') return percentilesOf(groups, range, layout, measure.percent ?? 50);
  if (kept.what === 'visitors' || kept.what === 'sessions') {
    const values = sumsOf(groups, range.newcomers(layout, since));
    return { values, counts: values };
  }
  const [values = new Float64Array()] = range.figures(groups, layout);
  if (kept.what === 'sum') return { values, counts: values };
  return { values: kept.what === 'latest' ? values : values.map((value) => (value < 0 ? NaN : value)) };
}

/** Of n values in bins the p-th percentile is that of the bin at rank ⌈p · n⌉ (from 1); NaN of nothing. */
function percentilesOf(groups: Groups, range: KeptRange, layout: MeasureLayout, percent: number): FigureOfGroups {
  const { starts, bins, reached } = binsOf(groups, range, layout);
  const [values, counts] = [floats(groups.count).fill(NaN), floats(groups.count)];
  for (let group = 0; group < groups.count; group++) {
    const [from, to] = [starts[group] as number, starts[group + 1] as number];
    const count = to > from ? (reached[to - 1] as number) : 0;
    counts[group] = count;
    if (count <= 0) continue;
    const rank = Math.ceil((percent / 100) * count);
    let entry = from;
    while ((reached[entry] as number) < rank) entry++;
    values[group] = binValue(bins[entry] as number);
  }
  return { values, counts };
}

/** The bins of each group, ascending. */
interface BinsOfGroups {
  /** Those of group n are from `starts[n]` up to `starts[n + 1]`. */
  readonly starts: Int32Array;
  readonly bins: Numbers;
  /** How many values of the group are in the bin or one before it. */
  readonly reached: Float64Array;
}

const known = new WeakMap<Groups, Map<MeasureLayout, BinsOfGroups>>();

/** Several percentiles are of the same bins. */
function binsOf(groups: Groups, range: KeptRange, layout: MeasureLayout): BinsOfGroups {
  const ofGroups = known.get(groups) ?? new Map<MeasureLayout, BinsOfGroups>();
  const found = ofGroups.get(layout) ?? orderedBins(groups, range.entries(layout));
  known.set(groups, ofGroups.set(layout, found));
  return found;
}

/** TRICKY: group by group with a slot for each bin, which is several times faster than hashing groups and bins. */
function orderedBins(groups: Groups, { rows, at, counts }: ReturnType<KeptRange['entries']>): BinsOfGroups {
  const { starts: from, order } = orderOf({ numbers: gathered(groups.numbers, rows), count: groups.count });
  let most = 0;
  for (let entry = 0; entry < at.length; entry++) most = Math.max(most, at[entry] as number);
  const [sums, starts] = [floats(most + 1), integers(groups.count + 1)];
  const [bins, reached] = [integers(order.length), floats(order.length)];
  let size = 0;
  for (let group = 0; group < groups.count; group++) {
    let [first, last, count] = [most, 0, 0];
    for (let nth = from[group] as number; nth < (from[group + 1] as number); nth++) {
      const entry = order[nth] as number;
      const bin = at[entry] as number;
      sums[bin] = (sums[bin] as number) + (counts[entry] as number);
      if (bin < first) first = bin;
      if (bin > last) last = bin;
    }
    starts[group] = size;
    for (let bin = first; bin <= last; bin++) {
      const sum = sums[bin] as number;
      if (sum === 0) continue;
      sums[bin] = 0;
      count += sum;
      bins[size] = bin;
      reached[size++] = count;
    }
  }
  starts[groups.count] = size;
  return { starts, bins, reached };
}

/** Adds how many rows of finer counts each row has. */
function withDifferent(table: Table, { by = {}, only, measures }: Count, asked: Asked, days: KeptDays): Table {
  const keys = Object.keys(by);
  const counted = Object.entries(measures).flatMap(([name, { different }]) => {
    if (!different) return [];
    const { field, within } = different;
    const [sum] = Object.entries(within.measures).find(([, { keeps }]) => keeps?.what === 'sum') ?? [];
    const times = within.measures[sum ?? ''];
    if (!times) throw new Error(`Of ${within.name} no sum is kept.`);
    const finer = {
      ...within,
      kept: within,
      by: { ...by, [FINER]: field },
      ...(only && { only }),
      measures: { times },
    };
    const rows = countKept(finer, asked, days);
    const groups = groupsOfAll(
      keys.map((key) => columnOf(rows, key)),
      rows.size,
    );
    const sizes = sumsOf(groups, new Int32Array(rows.size).fill(1));
    const named = Object.fromEntries(keys.map((key) => [key, gathered(columnOf(rows, key), firstsOf(groups))]));
    return [{ size: groups.count, columns: { ...named, [name]: sizes } }];
  });
  if (counted.length === 0) return table;
  return joined(keys, [table, ...counted], table.size);
}

const FINER = ' of finer rows';
