import type { Aggregate, AggregateCondition, Key, Measure } from '@ledgerline/contracts/aggregates/aggregate';
import {
  type Numbers,
  SESSION_FLAG,
  type SessionField,
  type Unit,
} from '@ledgerline/contracts/read-models/session-days';
import { rangeOf } from '@ledgerline/contracts/sessions/session';
import { intersectMasks, take, valuesAtRanks } from './columns';
import {
  groupCounts,
  differentIn,
  distinctIn,
  extremesOf,
  latestOf,
  sumsOf,
  valuesOfEach,
  type RowGroups,
  type Owners,
  type WholeGroups,
  withMark,
} from './groups';
import { isSessionField, type RowSet } from './row-sources';
import { bucketsAt, alternativesOf, type SelectedSessions } from './scope';
import { blank, floats, integers, rememberOf } from './scratch';
import { mapRecordValues } from './tables';

/** The field that a key follows from. */
export function fieldOfKey(key: Key): string {
  if (typeof key === 'string') return key;
  if ('range' in key) return key.range[0];
  return 'bucket' in key ? key.bucket : key.linkDomain;
}

export const isBucket = (key: Key): boolean => typeof key !== 'string' && 'bucket' in key;

export const isLookedUp = (key: Key): boolean => typeof key !== 'string' && 'linkDomain' in key;

/** Returns what a key has for each item. */
export function columnOfKey(key: Key, items: RowSet): Numbers {
  const column = items.field(fieldOfKey(key));
  if (typeof key === 'string') return column;
  if ('range' in key) {
    const [, starts] = key.range;
    const ranges = blank(Int32Array, column.length);
    for (let at = 0; at < ranges.length; at++) ranges[at] = rangeOf(column[at] as number, starts);
    return ranges;
  }
  if ('bucket' in key) return bucketsAt(items.request, column);
  const domains = new Map(items.lookup.map((link) => [link['value'], Number(link['domain'])]));
  return Int32Array.from(column, (href) => domains.get(href) ?? -1);
}

/** The field that a condition without arguments reads, and 1 for each item that meets it. */
interface NamedCondition {
  readonly field?: string;
  readonly unit?: Unit;
  readonly marks: (items: RowSet) => Uint8Array;
}

const NAMED: Readonly<Record<Extract<AggregateCondition, string>, NamedCondition>> = {
  inSession: {
    field: 'flags',
    marks({ size, field }) {
      const flags = field('flags');
      const marks = blank(Uint8Array, size);
      for (let at = 0; at < size; at++) marks[at] = (flags[at] ?? 0) & SESSION_FLAG.single ? 0 : 1;
      return marks;
    },
  },
  hasError: {
    unit: 'errors',
    marks({ places, sessions }) {
      const { places: failed, isSelected } = sessions.unit('errors');
      const ofSessions = new Uint8Array(sessions.size);
      for (let at = 0; at < failed.length; at++) if (isSelected[at] === 1) ofSessions[failed[at] ?? 0] = 1;
      return take(ofSessions, places);
    },
  },
  passesMetricFilters: {
    field: 'metric',
    marks({ size, field, request: { metricFilters } }) {
      const metrics = field('metric');
      const passes = (metric: number) =>
        metricFilters.every((filter) =>
          alternativesOf(filter).some(({ values, negated }) => values.includes(metric) !== negated),
        );
      return new Uint8Array(size).map((_, at) => (passes(metrics[at] ?? -1) ? 1 : 0));
    },
  },
};

/** 1 for each item that meets a condition. */
export function marksOf(condition: AggregateCondition, items: RowSet): Uint8Array {
  if (typeof condition === 'string') return NAMED[condition].marks(items);
  if ('all' in condition)
    return condition.all.map((each) => marksOf(each, items)).reduce((some, marks) => intersectMasks(some, marks));
  if ('not' in condition) return marksOf(condition.not, items).map((mark) => 1 - mark);
  const [name, least] = condition.atLeast;
  const column = items.field(name);
  const marks = blank(Uint8Array, items.size);
  for (let at = 0; at < items.size; at++) marks[at] = (column[at] ?? -1) >= least ? 1 : 0;
  return marks;
}

type Measures = Readonly<Record<string, Measure>>;

/** The figures of each group of items. */
export function figuresOfMeasures(
  measures: Measures,
  groups: WholeGroups,
  items: RowSet,
): Record<string, Float64Array> {
  const percentiles = new Percentiles(Object.values(measures));
  return mapRecordValues(measures, (measure) => figureOf(measure, groups, items, percentiles));
}

function figureOf(measure: Measure, groups: WholeGroups, items: RowSet, percentiles: Percentiles): Float64Array {
  const { field } = items;
  if (measure === 'count') return countsIn(groups, items);
  if (measure === 'visitors') return distinctIn(groups, visitorsAt(items.sessions, items.places));
  if (measure === 'sessions') return sessionsIn(groups, items);
  if ('sum' in measure) return sumsOf(groups, field(measure.sum));
  if ('least' in measure) return extremesOf(groups, field(measure.least), 1);
  if ('greatest' in measure) return extremesOf(groups, field(measure.greatest), -1);
  if ('percentile' in measure) return percentiles.find(measure.percentile, groups, field(measure.percentile[0]));
  if ('different' in measure) return differentIn(groups, field(measure.different[0]));
  if ('latest' in measure) {
    const values = field(measure.latest[0]);
    const by = measure.latest[1].map(field);
    return Float64Array.from(latestOf(groups, by), (at) => values[at] ?? 0);
  }
  const [condition, of] = measure.filter;
  return figureOf(of, markedBy(condition, groups, items), items, new Percentiles([of]));
}

const counted = new WeakMap<RowGroups, Float64Array>();

/** Returns the number of items each group has. */
export function countsIn(groups: WholeGroups, { weights }: RowSet): Float64Array {
  const counts = counted.get(groups) ?? groupCounts(groups, weights);
  counted.set(groups, counts);
  return counts;
}

/** The visitors of items, given by the places of their sessions. */
export const visitorsAt = (sessions: SelectedSessions, places: Int32Array): Owners => ({
  numbers: ownersAt(sessions)(places),
  count: sessions.visitors.count,
});

const ownersAt = rememberOf(({ visitors: { numbers, count } }: SelectedSessions) =>
  rememberOf((places: Int32Array) => {
    const owners = blank(Int32Array, places.length);
    for (let at = 0; at < places.length; at++) {
      const number = numbers[places[at] as number] as number;
      owners[at] = number < 0 ? count : number;
    }
    return owners;
  }),
);

/** Counts how many different sessions; items in none have none. Those of a session come together. */
function sessionsIn({ numbers, count }: RowGroups, { places, sessions }: RowSet): Float64Array {
  const flags = sessions.field('flags');
  const found = floats(count);
  const latest = integers(count).fill(-1);
  for (let at = 0; at < numbers.length; at++) {
    const group = numbers[at] ?? -1;
    const place = places[at] ?? 0;
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

  find([name, percent]: readonly [string, number], groups: RowGroups, column: Numbers): Float64Array {
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

const marked = new WeakMap<RowGroups, Map<AggregateCondition, WholeGroups>>();

/** Several measures have the same condition. */
function markedBy(condition: AggregateCondition, groups: WholeGroups, items: RowSet): WholeGroups {
  const ofGroups = marked.get(groups) ?? new Map<AggregateCondition, WholeGroups>();
  const found = ofGroups.get(condition) ?? withMark(groups, marksOf(condition, items));
  marked.set(groups, ofGroups.set(condition, found));
  return found;
}

/** Returns percentiles of each group: of n sorted values the p-th percentile is the one at rank ⌈p · n⌉ (from 1). */
function percentilesOf(groups: RowGroups, column: Numbers, percents: readonly number[]): readonly Float64Array[] {
  const found = percents.map(() => floats(groups.count).fill(NaN)); // of groups without items
  for (const [group, values] of valuesOfEach(groups, column)) {
    const ranks = percents.map((percent) => Math.ceil((percent / 100) * values.length) - 1);
    for (const [nth, value] of valuesAtRanks(values, ranks).entries()) (found[nth] as Float64Array)[group] = value;
  }
  return found;
}

interface Reads {
  readonly fields: readonly string[];
  readonly units: readonly Unit[];
}

const join = (parts: readonly Reads[]): Reads => ({
  fields: parts.flatMap(({ fields }) => fields),
  units: parts.flatMap(({ units }) => units),
});

const reads = (...fields: readonly string[]): Reads => ({ fields, units: [] });

function readByCondition(condition: AggregateCondition): Reads {
  if (typeof condition === 'string') {
    const { field, unit } = NAMED[condition];
    return { fields: field === undefined ? [] : [field], units: unit === undefined ? [] : [unit] };
  }
  if ('atLeast' in condition) return reads(condition.atLeast[0]);
  return 'all' in condition ? join(condition.all.map(readByCondition)) : readByCondition(condition.not);
}

function readByMeasure(measure: Measure): Reads {
  if (typeof measure === 'string') return reads(...(measure === 'sessions' ? ['flags'] : []));
  if ('filter' in measure) return join([readByCondition(measure.filter[0]), readByMeasure(measure.filter[1])]);
  if ('latest' in measure) return reads(measure.latest[0], ...measure.latest[1]);
  if ('sum' in measure) return reads(measure.sum);
  if ('least' in measure) return reads(measure.least);
  if ('greatest' in measure) return reads(measure.greatest);
  return reads('percentile' in measure ? measure.percentile[0] : measure.different[0]);
}

/** Returns what an aggregate reads of its items and their sessions, beside the units that they are. */
export function readBy({ by = {}, where, only, measures }: Aggregate) {
  const conditions = [where, only].filter((condition) => condition !== undefined);
  const { fields, units } = join([
    reads(...Object.values(by).map(fieldOfKey)),
    ...conditions.map(readByCondition),
    ...Object.values(measures).map(readByMeasure),
  ]);
  return { units, fields, ofSessions: fields.filter((name): name is SessionField => isSessionField(name)) };
}
