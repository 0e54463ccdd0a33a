import { SESSION_FLAG, type SessionField } from '@ledgerline/contracts/read-models/session-days';
import { bytes, floats, integers } from '../session-days/scratch';
import { distinctOf, groupsOf, orderOf, valuesOfEach, withMark, type Groups } from './groups';
import { isSessionField, type Items } from './items';
import { valuesAtRanks } from './columns';
import type { Condition, Kept, KeptCount, Measure } from './count';

const fieldsOf = (name: string): readonly SessionField[] => (isSessionField(name) ? [name] : []);

/** How many items there are. */
export const COUNT: Measure = {
  of: (groups, { weights }) => (weights ? sumsOf(groups, weights) : countsOf(groups)),
  keeps: { what: 'sum' },
};

/** How many different visitors. */
export const VISITORS: Measure = {
  of: (groups, { places, sessions }) => distinctOf(groups, sessions.byVisitor(places)),
  keeps: { what: 'visitors' },
};

/** How many different sessions; items in none have none. Those of a session come together. */
export const SESSIONS: Measure = {
  fields: ['flags'],
  keeps: { what: 'sessions' },
  of({ numbers, count }, { places, sessions }) {
    const flags = sessions.field('flags');
    const [found, latest] = [floats(count), integers(count).fill(-1)];
    for (let at = 0; at < numbers.length; at++) {
      const [group, place] = [numbers[at] ?? -1, places[at] ?? 0];
      if (group < 0 || latest[group] === place || (flags[place] ?? 0) & SESSION_FLAG.single) continue;
      latest[group] = place;
      found[group] = (found[group] ?? 0) + 1;
    }
    return found;
  },
};

/** How many different values of a field; each is a row of this count. */
export const different = (name: string, { kept }: { readonly kept: KeptCount }): Measure => ({
  ...ofField(name, (groups, column) => distinctOf(groups, orderOf(groupsOf(column)))),
  different: { field: name, within: kept },
});

export const sum = (name: string): Measure => ofField(name, sumsOf, { what: 'sum', field: name });

/** Percentiles (in percent, ascending) by column: found together, as each one narrows the search for the next. */
export function percentiles(
  name: string,
  percents: Readonly<Record<string, number>>,
): Readonly<Record<string, Measure>> {
  const known = new WeakMap<Groups, readonly Float64Array[]>();
  const find = (groups: Groups, column: Column) => {
    const found = known.get(groups) ?? percentilesOf(groups, column, Object.values(percents));
    known.set(groups, found);
    return found;
  };
  return Object.fromEntries(
    Object.entries(percents).map(([column, percent], nth) => [
      column,
      {
        ...ofField(name, (groups, values) => find(groups, values)[nth] ?? new Float64Array(), binsOf(name)),
        percent,
      },
    ]),
  );
}

/** Of an even number of values the lower one. */
export const median = (name: string): Measure => ({
  ...ofField(name, (groups, column) => percentilesOf(groups, column, [50])[0] as Float64Array, binsOf(name)),
  percent: 50,
});
export const least = (name: string): Measure => extreme(name, 1);
export const greatest = (name: string): Measure => extreme(name, -1);

/** A measure of some of the items only. */
export const filterBy = (condition: Condition, measure: Measure): Measure => ({
  fields: [...(condition.fields ?? []), ...(measure.fields ?? [])],
  of: (groups, items) => measure.of(markedBy(condition, groups, items), items),
  ...(measure.keeps && { keeps: { ...measure.keeps, where: condition } }),
  ...(measure.percent !== undefined && { percent: measure.percent }),
});

const marked = new WeakMap<Groups, Map<Condition, Groups>>();

/** Several measures have the same condition. */
function markedBy(condition: Condition, groups: Groups, items: Items): Groups {
  const ofGroups = marked.get(groups) ?? new Map<Condition, Groups>();
  const found = ofGroups.get(condition) ?? withMark(groups, condition.of(items));
  marked.set(groups, ofGroups.set(condition, found));
  return found;
}

/** The field is at least so much. Measures that are unknown are -1, texts that are missing 0. */
export const atLeast = (name: string, bound: number): Condition => ({
  fields: fieldsOf(name),
  of({ size, field }) {
    const [column, marks] = [field(name), bytes(size)];
    for (let at = 0; at < size; at++) marks[at] = (column[at] ?? -1) >= bound ? 1 : 0;
    return marks;
  },
});
export const known = (name: string): Condition => atLeast(name, 0);
export const positive = (name: string): Condition => atLeast(name, 1);

export const IN_SESSION: Condition = {
  fields: ['flags'],
  of({ size, field }) {
    const [flags, marks] = [field('flags'), bytes(size)];
    for (let at = 0; at < size; at++) marks[at] = (flags[at] ?? 0) & SESSION_FLAG.single ? 0 : 1;
    return marks;
  },
};

export const all = (...conditions: readonly Condition[]): Condition => ({
  fields: conditions.flatMap(({ fields = [] }) => fields),
  of: (items) => conditions.map((condition) => condition.of(items)).reduce((some, marks) => both(some, marks)),
});

export const not = (condition: Condition): Condition => ({
  ...condition,
  of: (items) => condition.of(items).map((mark) => 1 - mark),
});

/** Leaves of the marks those of items that are in, and answers them. */
export function both(isIn: Items['isIn'], marks: Uint8Array): Uint8Array {
  for (let at = 0; at < marks.length; at++) if (isIn[at] === 0) marks[at] = 0;
  return marks;
}

type Column = ReturnType<Items['field']>;

const binsOf = (field: string): Kept => ({ what: 'bins', field });

const ofField = (name: string, figures: (groups: Groups, column: Column) => Float64Array, keeps?: Kept): Measure => ({
  fields: fieldsOf(name),
  of: (groups, { field }) => figures(groups, field(name)),
  ...(keeps && { keeps }),
});

/** The sum of a column in each group. TRICKY: read in its order, which is several times faster than group by group. */
export function sumsOf({ numbers, count }: Groups, column: Column): Float64Array {
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

const extreme = (name: string, sign: 1 | -1): Measure =>
  ofField(name, (groups, column) => extremesOf(groups, column, sign), {
    what: sign === 1 ? 'least' : 'greatest',
    field: name,
  });

/** The least, or with sign -1 the greatest value of each group; NaN of nothing. */
export function extremesOf({ numbers, count }: Groups, column: Column, sign: 1 | -1): Float64Array {
  const best = floats(count).fill(NaN);
  for (let at = 0; at < numbers.length; at++) {
    const [group, value] = [numbers[at] ?? -1, sign * (column[at] ?? 0)];
    if (group >= 0 && !((best[group] ?? NaN) * sign <= value)) best[group] = sign * value;
  }
  return best;
}

/** Of the latest item of each group the value of a field: by fields of which the first decides. */
export const latest = (name: string, by: readonly string[]): Measure => ({
  of(groups, { field }) {
    const values = field(name);
    return Float64Array.from(latestOf(groups, by.map(field)), (at) => values[at] ?? 0);
  },
  keeps: { what: 'latest', field: name, by },
});

/**
 * The latest item of each group; -1 of nothing.
 * @param places of the items that the groups are of, if they are not all
 */
export function latestOf({ numbers, count }: Groups, order: readonly Column[], places?: Int32Array): Int32Array {
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
function percentilesOf(groups: Groups, column: Column, percents: readonly number[]): readonly Float64Array[] {
  const found = percents.map(() => floats(groups.count));
  for (const [group, values] of valuesOfEach(groups, column).entries()) {
    const ranks = percents.map((percent) => Math.ceil((percent / 100) * values.length) - 1);
    for (const [nth, value] of valuesAtRanks(values, ranks).entries()) (found[nth] as Float64Array)[group] = value;
  }
  return found;
}
