import {
  type Aggregate,
  type AggregateCondition,
  type Key,
  type Measure,
  type Rollup,
  storedFigure,
  textOfFigure,
  textOfTree,
} from '@ledgerline/contracts/aggregates/aggregate';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { binValue } from '@ledgerline/contracts/sessions/session';
import { marksOf, fieldOfKey, isBucket } from './aggregate-terms';
import { everyRow, take, rowsWhere } from './columns';
import { firstsOf, groupOfEach, groupsOfAll, orderOf, sumsOf, type RowGroups } from './groups';
import type { MeasureLayout } from './rollup-part';
import { RollupRange } from './rollup-range';
import type { RowSet } from './row-sources';
import type { CountScope, RollupScope } from './scope';
import { floats, integers, remember } from './scratch';
import { type ColumnTable, tableColumn, joinTables, mapRecordValues, rowsAt } from './tables';

/** An aggregate from what is kept: see `evaluateAggregate`. */
export function evaluateRollup(plan: RollupPlan, scope: CountScope, days: RollupScope): ColumnTable {
  const { rollup, keys, only, isByEachKey } = plan;
  const isSeries = Object.values(keys).includes(null);
  const range = new RollupRange(rollup, days);
  const columns = mapRecordValues(keys, (text) => (text === null ? bucketsOf(range.days, scope) : range.key(text)));
  const groups =
    range.isOfOneDay && !only && isByEachKey
      ? groupOfEach(range.size)
      : groupsOfAll(Object.values(columns), range.size, only && marksOf(only, itemsOf(range, scope)));
  const named = mapRecordValues(columns, (column) => Float64Array.from(take(column, firstsOf(groups))));
  const figures = Object.entries(plan.figures).map(
    ([name, figure]) => [name, figureOf(groups, range, figure, isSeries ? undefined : days.since)] as const,
  );
  const table = {
    size: groups.count,
    columns: { ...named, ...Object.fromEntries(figures.map(([name, { values }]) => [name, values])) },
  };
  const isSomething = new Uint8Array(groups.count).fill(Object.keys(keys).length === 0 ? 1 : 0);
  for (const [, { counts }] of figures)
    for (let row = 0; row < isSomething.length; row++) if ((counts?.[row] ?? 0) !== 0) isSomething[row] = 1;
  return withFinerRows(rowsAt(table, rowsWhere(isSomething)), plan, scope, days);
}

/** Only fields that are keys. */
const itemsOf = (range: RollupRange, scope: CountScope): RowSet => ({
  ...scope,
  size: range.size,
  places: everyRow(range.size),
  isIn: new Uint8Array(range.size).fill(1),
  field: remember((name: string): Numbers => range.key(name)),
});

/** The bucket of each row of a series of days. */
function bucketsOf(days: Int32Array, { request }: CountScope): Int32Array {
  const numbers = new Map(request.series.days.map((day, nth) => [day, nth + 1]));
  return days.map((day) => numbers.get(day) ?? -1);
}

interface FigureOfGroups {
  readonly values: Float64Array;
  /** A count that is not 0 in groups of which there is something; absent = the figure does not say. */
  readonly counts?: Float64Array;
}

/** @param since the first day of the range; undefined = each day stands for itself */
function figureOf(
  groups: RowGroups,
  range: RollupRange,
  { text, percent }: RollupPlan['figures'][string],
  since: number | undefined,
): FigureOfGroups {
  const layout = range.measure(text);
  const { stored } = layout;
  if (stored.what === 'bins') return percentilesOf(groups, range, layout, percent);
  if (stored.what === 'visitors' || stored.what === 'sessions') {
    const values = sumsOf(groups, range.firstSeen(layout, since));
    return { values, counts: values };
  }
  const [values = new Float64Array()] = range.figures(groups, layout);
  if (stored.what === 'sum') return { values, counts: values };
  return { values: stored.what === 'latest' ? values : values.map((value) => (value < 0 ? NaN : value)) };
}

/**
 * Returns percentiles of each group: of n values in bins the p-th is that of the bin at rank ⌈p · n⌉ (from 1); NaN of
 * nothing.
 */
function percentilesOf(groups: RowGroups, range: RollupRange, layout: MeasureLayout, percent: number): FigureOfGroups {
  const { starts, bins, reached } = binsOf(groups, range, layout);
  const values = floats(groups.count).fill(NaN);
  const counts = floats(groups.count);
  for (let group = 0; group < groups.count; group++) {
    const from = starts[group] as number;
    const to = starts[group + 1] as number;
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
  /** The bins of group n are from `starts[n]` up to `starts[n + 1]`. */
  readonly starts: Int32Array;
  readonly bins: Numbers;
  /** The number of values of the group that are in the bin or one before it. */
  readonly reached: Float64Array;
}

const known = new WeakMap<RowGroups, Map<MeasureLayout, BinsOfGroups>>();

/** Several percentiles are of the same bins. */
function binsOf(groups: RowGroups, range: RollupRange, layout: MeasureLayout): BinsOfGroups {
  const ofGroups = known.get(groups) ?? new Map<MeasureLayout, BinsOfGroups>();
  const found = ofGroups.get(layout) ?? orderedBins(groups, range.entries(layout));
  known.set(groups, ofGroups.set(layout, found));
  return found;
}

/** TRICKY: group by group with a slot for each bin, which is several times faster than hashing groups and bins. */
function orderedBins(groups: RowGroups, { rows, at, counts }: ReturnType<RollupRange['entries']>): BinsOfGroups {
  const { starts: from, order } = orderOf({ numbers: take(groups.numbers, rows), count: groups.count });
  let most = 0;
  for (let entry = 0; entry < at.length; entry++) most = Math.max(most, at[entry] as number);
  const sums = floats(most + 1);
  const starts = integers(groups.count + 1);
  const bins = integers(order.length);
  const reached = floats(order.length);
  let size = 0;
  for (let group = 0; group < groups.count; group++) {
    let first = most;
    let last = 0;
    let count = 0;
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

/** Adds how many rows of finer rollups each row has. */
function withFinerRows(table: ColumnTable, plan: RollupPlan, scope: CountScope, days: RollupScope): ColumnTable {
  const keys = Object.keys(plan.keys);
  const counted = Object.entries(plan.finer).map(([name, finer]) => {
    const rows = evaluateRollup(finer, scope, days);
    const groups = groupsOfAll(
      keys.map((key) => tableColumn(rows, key)),
      rows.size,
    );
    const sizes = sumsOf(groups, new Int32Array(rows.size).fill(1));
    const named = Object.fromEntries(keys.map((key) => [key, take(tableColumn(rows, key), firstsOf(groups))]));
    return { size: groups.count, columns: { ...named, [name]: sizes } };
  });
  return counted.length === 0 ? table : joinTables(keys, [table, ...counted], table.size);
}

/** The way in which an aggregate follows from a rollup. */
interface RollupPlan {
  readonly rollup: Rollup;
  /** By column the text of a key of the rollup; null = the bucket of a series. */
  readonly keys: Readonly<Record<string, string | null>>;
  /** By column the text of a figure of the rollup, and which percentile is taken of its bins. */
  readonly figures: Readonly<Record<string, { readonly text: string; readonly percent: number }>>;
  /** By column a finer rollup of which it counts the rows. */
  readonly finer: Readonly<Record<string, RollupPlan>>;
  readonly only?: AggregateCondition;
  /** It has all keys of the rollup and no other: rows of a day that a part has are its groups. */
  readonly isByEachKey: boolean;
}

/** The key by which a finer rollup is counted. */
const FINER = ' of finer rows';

/**
 * Undefined of an aggregate that names no rollup.
 * @throws Error of one that follows from its rollup but for a condition, a key or a measure
 */
export function rollupPlan(aggregate: Aggregate): RollupPlan | undefined {
  const { rollup: name, of, where } = aggregate;
  if (name === undefined) return undefined;
  const known = plans.get(aggregate);
  if (known) return known;
  const rollup = rollupNamed(name);
  if (rollup.of !== of || textOfCondition(rollup.where) !== textOfCondition(where))
    throw new Error(`Of ${name} nothing is stored of other rows, or under another condition.`);
  const plan = planFrom(rollup, aggregate);
  plans.set(aggregate, plan);
  return plan;
}

/** Found once for each declaration. */
const plans = new WeakMap<Aggregate, RollupPlan>();

const textOfCondition = (condition: AggregateCondition | undefined): string => (condition ? textOfTree(condition) : '');

function planFrom(
  rollup: Rollup,
  { by = {}, only, measures }: Pick<Aggregate, 'by' | 'only' | 'measures'>,
): RollupPlan {
  const wanted = Object.values(by);
  const keys = Object.entries(by).map(
    ([column, key]) => [column, isBucket(key) ? null : textOfKey(rollup, key)] as const,
  );
  const figures: [string, RollupPlan['figures'][string]][] = [];
  const finer: [string, RollupPlan][] = [];
  for (const [column, measure] of Object.entries(measures)) {
    if (typeof measure === 'object' && 'different' in measure) {
      const [field, name] = measure.different;
      const rows = { by: { ...by, [FINER]: field }, ...(only && { only }), measures: { rows: 'count' } } as const;
      finer.push([column, planFrom(rollupNamed(name), rows)]);
      continue;
    }
    const { text, isDistinct } = figureFor(rollup, measure);
    if (isDistinct && !hasAllKeys(rollup, wanted)) throw new Error(`The ${column} of ${rollup.name} do not add up.`);
    figures.push([column, { text, percent: percentOf(measure) }]);
  }
  const texts = keys.map(([, text]) => text);
  return {
    rollup,
    keys: Object.fromEntries(keys),
    figures: Object.fromEntries(figures),
    finer: Object.fromEntries(finer),
    ...(only && { only }),
    isByEachKey: !texts.includes(null) && rollup.keys.every(({ text }) => texts.includes(text)),
  };
}

/** The columns of all rollups from which an aggregate follows. */
export const rollupNames = ({ rollup, finer }: RollupPlan): readonly string[] => [
  rollup.name,
  ...Object.values(finer).flatMap(rollupNames),
];

function textOfKey({ name, keys }: Rollup, key: Key): string {
  const wanted = textOfTree(key);
  if (keys.some(({ text }) => text === wanted)) return wanted;
  throw new Error(`Of ${name} nothing is stored by ${wanted}.`);
}

function figureFor({ name, figures }: Rollup, measure: Measure) {
  const stored = storedFigure(measure);
  const text = stored ? textOfFigure(stored) : textOfTree(measure);
  if (!stored || !figures.some((figure) => figure.text === text)) throw new Error(`Of ${name} no ${text} is stored.`);
  return { text, isDistinct: stored.what === 'visitors' || stored.what === 'sessions' };
}

/** Returns whether each key of a rollup is one of these, or follows from one. */
const hasAllKeys = ({ keys }: Rollup, wanted: readonly Key[]): boolean =>
  keys.every(
    ({ text, key }) =>
      wanted.some((each) => textOfTree(each) === text) ||
      (typeof key !== 'string' && wanted.some((each) => each === fieldOfKey(key))),
  );

/** Returns which percentile a measure of bins is. */
function percentOf(measure: Measure): number {
  if (typeof measure === 'string') return 50;
  if ('filter' in measure) return percentOf(measure.filter[1]);
  return 'percentile' in measure ? measure.percentile[1] : 50;
}
