import type { Condition, Measure } from '@ledgerline/contracts/aggregates/aggregate';
import { type Numbers, SESSION_FLAG } from '@ledgerline/contracts/read-models/session-days';
import { floats, integers } from '../session-days/scratch';
import { distinctOf, groupsOf, orderOf, valuesOfEach, withMark, type Groups } from './groups';
import type { Items } from './items';
import { valuesAtRanks } from './columns';
import { marksOf } from './operators';
import { mapped } from './tables';

type Measures = Readonly<Record<string, Measure>>;

/** The figures of each group of items. */
export function figuresOfMeasures(measures: Measures, groups: Groups, items: Items): Record<string, Float64Array> {
  const percentiles = new Percentiles(Object.values(measures));
  return mapped(measures, (measure) => figureOf(measure, groups, items, percentiles));
}

function figureOf(measure: Measure, groups: Groups, items: Items, percentiles: Percentiles): Float64Array {
  const { field, sessions, places, weights } = items;
  if (measure === 'count') return weights ? sumsOf(groups, weights) : countsOf(groups);
  if (measure === 'visitors') return distinctOf(groups, sessions.byVisitor(places));
  if (measure === 'sessions') return sessionsIn(groups, items);
  if ('sum' in measure) return sumsOf(groups, field(measure.sum));
  if ('least' in measure) return extremesOf(groups, field(measure.least), 1);
  if ('greatest' in measure) return extremesOf(groups, field(measure.greatest), -1);
  if ('percentile' in measure) return percentiles.find(measure.percentile, groups, field(measure.percentile[0]));
  if ('different' in measure) return distinctOf(groups, orderOf(groupsOf(field(measure.different[0]))));
  if ('latest' in measure) {
    const [values, by] = [field(measure.latest[0]), measure.latest[1].map(field)];
    return Float64Array.from(latestOf(groups, by), (at) => values[at] ?? 0);
  }
  const [condition, of] = measure.filter;
  return figureOf(of, markedBy(condition, groups, items), items, new Percentiles([of]));
}

/** How many different sessions; items in none have none. Those of a session come together. */
function sessionsIn({ numbers, count }: Groups, { places, sessions }: Items): Float64Array {
  const flags = sessions.field('flags');
  const [found, latest] = [floats(count), integers(count).fill(-1)];
  for (let at = 0; at < numbers.length; at++) {
    const [group, place] = [numbers[at] ?? -1, places[at] ?? 0];
    if (group < 0 || latest[group] === place || (flags[place] ?? 0) & SESSION_FLAG.single) continue;
    latest[group] = place;
    found[group] = (found[group] ?? 0) + 1;
  }
  return found;
}

/** Percentiles of a field are found together, as each one narrows the search for the next. */
class Percentiles {
  private readonly found = new Map<string, readonly Float64Array[]>();

  constructor(private readonly measures: readonly Measure[]) {}

  find([name, percent]: readonly [string, number], groups: Groups, column: Numbers): Float64Array {
    const percents = this.percentsOf(name);
    const found = this.found.get(name) ?? percentilesOf(groups, column, percents);
    this.found.set(name, found);
    return found[percents.indexOf(percent)] as Float64Array;
  }

  /** Ascending. */
  private percentsOf(name: string): readonly number[] {
    const percents = this.measures.flatMap((measure) =>
      typeof measure === 'object' && 'percentile' in measure && measure.percentile[0] === name
        ? [measure.percentile[1]]
        : [],
    );
    return [...new Set(percents)].sort((a, b) => a - b);
  }
}

const marked = new WeakMap<Groups, Map<Condition, Groups>>();

/** Several measures have the same condition. */
function markedBy(condition: Condition, groups: Groups, items: Items): Groups {
  const ofGroups = marked.get(groups) ?? new Map<Condition, Groups>();
  const found = ofGroups.get(condition) ?? withMark(groups, marksOf(condition, items));
  marked.set(groups, ofGroups.set(condition, found));
  return found;
}

/** The sum of a column in each group. TRICKY: read in its order, which is several times faster than group by group. */
export function sumsOf({ numbers, count }: Groups, column: Numbers): Float64Array {
  const sums = floats(count);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) sums[group] = (sums[group] ?? 0) + (column[at] ?? 0);
  }
  return sums;
}

function countsOf({ numbers, count }: Groups): Float64Array {
  const counts = floats(count);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    if (group >= 0) counts[group] = (counts[group] ?? 0) + 1;
  }
  return counts;
}

/** The least, or with sign -1 the greatest value of each group; NaN of nothing. */
export function extremesOf({ numbers, count }: Groups, column: Numbers, sign: 1 | -1): Float64Array {
  const best = floats(count).fill(NaN);
  for (let at = 0; at < numbers.length; at++) {
    const [group, value] = [numbers[at] ?? -1, sign * (column[at] ?? 0)];
    if (group >= 0 && !((best[group] ?? NaN) * sign <= value)) best[group] = sign * value;
  }
  return best;
}

/**
 * The latest item of each group; -1 of nothing.
 * @param places of the items that the groups are of, if they are not all
 */
export function latestOf({ numbers, count }: Groups, order: readonly Numbers[], places?: Int32Array): Int32Array {
  const isLater = (a: number, b: number) => {
    const decisive = order.find((column) => column[a] !== column[b]);
    return decisive !== undefined && (decisive[a] ?? 0) > (decisive[b] ?? 0);
  };
  const found = integers(count).fill(-1);
  for (let nth = 0; nth < numbers.length; nth++) {
    const [group, at] = [numbers[nth] ?? -1, places ? (places[nth] ?? 0) : nth];
    const last = found[group] ?? -1;
    if (group >= 0 && (last < 0 || isLater(at, last))) found[group] = at;
  }
  return found;
}

/** Of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
function percentilesOf(groups: Groups, column: Numbers, percents: readonly number[]): readonly Float64Array[] {
  const found = percents.map(() => floats(groups.count));
  for (const [group, values] of valuesOfEach(groups, column).entries()) {
    const ranks = percents.map((percent) => Math.ceil((percent / 100) * values.length) - 1);
    for (const [nth, value] of valuesAtRanks(values, ranks).entries()) (found[nth] as Float64Array)[group] = value;
  }
  return found;
}
