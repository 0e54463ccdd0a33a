import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import { boundsOf, stretchesOf } from '../query/series-stretches';
import { integers } from '../session-days/scratch';
import type { Asked, Counting, Question } from './asked';
import { firstsOf, groupsOfAll } from './groups';
import { gathered, placesWith } from './columns';
import { each, isSessionField, perSession, type Items, type ItemSource } from './items';
import { both, COUNT, SESSIONS, VISITORS, type Condition, type Measure } from './measures';
import { columnOf, joined, mapped, rowsAt, type Table } from './tables';

/** What items are grouped by: a field, or what follows from fields; negative values leave the item out. */
export type Key = string | { readonly fields?: readonly SessionField[]; readonly of: (items: Items) => Numbers };

/** What is counted, by what, and which figures of it: the declaration that questions and kept counts are made from. */
export interface Count {
  /** Units of this kind in the range, or other items. */
  readonly of: Unit | ItemSource;
  /** Columns; without any all items are one group. */
  readonly by?: Readonly<Record<string, Key>>;
  readonly where?: Condition;
  readonly measures: Readonly<Record<string, Measure>>;
  /** The column of which the question has a minimum: groups of less are left out. */
  readonly enough?: string;
}

/** A row for each group of items. */
export function countOf({ of, by = {}, where, measures, enough }: Count): Counting {
  const keys = Object.values(by);
  const source = typeof of === 'string' ? sourceOf(of, keys, Object.values(measures)) : of;
  const needing = [source, ...Object.values(measures), ...(where ? [where] : [])];
  return {
    units: source.units,
    fields: [...needing.flatMap(({ fields = [] }) => fields), ...keys.flatMap(fieldsOf)],
    count(asked) {
      const items = source.of(asked);
      const columns = mapped(by, (key) => (typeof key === 'string' ? items.field(key) : key.of(items)));
      const isIn = where ? both(items.isIn, where.of(items)) : items.isIn;
      const groups = groupsOfAll(Object.values(columns), items.size, isIn);
      const firsts = firstsOf(groups);
      const named = mapped(columns, (column) => Float64Array.from(gathered(column, firsts)));
      const figures = mapped(measures, (measure) => measure.of(groups, items));
      const table = { size: groups.count, columns: { ...named, ...figures } };
      return enough === undefined ? table : withEnough(table, enough, asked.question);
    },
  };
}

/** The items of a count, whatever it has by sessions. */
export const itemsOf = ({ of }: Pick<Count, 'of'>, asked: Asked): Items =>
  (typeof of === 'string' ? each(of) : of).of(asked);

const fieldsOf = (key: Key): readonly SessionField[] =>
  typeof key !== 'string' ? (key.fields ?? []) : isSessionField(key) ? [key] : [];

/** What sessions have as a whole is counted by session: there are fewer of them. */
function sourceOf(unit: Unit, keys: readonly Key[], measures: readonly Measure[]): ItemSource {
  const isOfSessions = keys.every((key) => typeof key === 'string' && isSessionField(key));
  return isOfSessions && measures.every((measure) => OF_SESSIONS.has(measure)) ? perSession(unit) : each(unit);
}

const OF_SESSIONS: ReadonlySet<Measure> = new Set([COUNT, VISITORS, SESSIONS]);

function withEnough(table: Table, name: string, { minSamples }: Question): Table {
  const isEnough = Uint8Array.from(columnOf(table, name), (value) => (value >= minSamples ? 1 : 0));
  return rowsAt(table, placesWith(isEnough));
}

/** The rows of each count that agree in their keys as one row. */
export const joinCounts = <Of extends Asked>(
  keys: readonly string[],
  ...counts: readonly Counting<Of>[]
): Counting<Of> => ({
  fields: counts.flatMap(({ fields = [] }) => fields),
  units: counts.flatMap(({ units = [] }) => units),
  count: (asked) => joined(keys, tablesOf(counts, asked)),
});

/** The rows of the first count with what the others have of the same keys. */
export const leftJoinCounts = (keys: readonly string[], ...counts: readonly Counting[]): Counting => ({
  ...joinCounts(keys, ...counts),
  count(asked) {
    const tables = tablesOf(counts, asked);
    return joined(keys, tables, tables[0]?.size);
  },
});

const tablesOf = <Of extends Asked>(counts: readonly Counting<Of>[], asked: Of): readonly Table[] =>
  counts.map(({ count }) => count(asked));

/** By what follows from a field. */
export const rangesOf = (name: string, rangeOf: (value: number) => number): Key => ({
  fields: isSessionField(name) ? [name] : [],
  of: ({ field }) => Int32Array.from(field(name), rangeOf),
});

/** By the bucket of a series (from 1) that an item's time lies in. */
export const BUCKET: Key = {
  of: ({ field, question }: Items) => {
    const bounds = boundsOf(question);
    const buckets = Int32Array.from([-1, ...stretchesOf(question).map(({ bucket }) => bucket), -1]);
    return bucketsIn(field('at'), Float64Array.from([-Infinity, ...bounds, Infinity]), buckets);
  },
};

/** Bucket n lies between bounds n and n + 1, the first and the last of which are infinite. */
function bucketsIn(times: Numbers, bounds: Float64Array, buckets: Int32Array): Int32Array {
  const found = integers(times.length);
  let nth = 0; // TRICKY: most times lie in the bucket of the one before, or near it
  for (let place = 0; place < times.length; place++) {
    const at = times[place] ?? 0;
    while (at < (bounds[nth] ?? 0)) nth--;
    while (at >= (bounds[nth + 1] ?? Infinity)) nth++;
    found[place] = buckets[nth] ?? -1;
  }
  return found;
}
