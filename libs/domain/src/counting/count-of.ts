import { type Table, columnOf, joined, mapped, rowsAt } from './tables';
import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Asked, Counting, Question } from './asked';
import type { Count, Key, Measure } from './count';
import { countKept, keptNames } from './count-kept';
import { firstsOf, groupsOfAll } from './groups';
import { gathered, placesWith } from './columns';
import { each, isSessionField, perSession, type Items, type ItemSource } from './items';
import { both, COUNT, SESSIONS, VISITORS } from './measures';

/** A row for each group of items. */
export function countOf(count: Count): Counting {
  const { of, by = {}, where, only, measures, enough } = count;
  const keys = Object.values(by);
  const source = typeof of === 'string' ? sourceOf(of, keys, Object.values(measures)) : of;
  const needing = [source, ...Object.values(measures), ...(where ? [where] : []), ...(only ? [only] : [])];
  return {
    units: source.units,
    fields: [...needing.flatMap(({ fields = [] }) => fields), ...keys.flatMap(fieldsOf)],
    kept: keptNames(count),
    count(asked) {
      if (asked.kept) return enoughOf(countKept(count, asked, asked.kept));
      const items = source.of(asked);
      const columns = mapped(by, (key) => (typeof key === 'string' ? items.field(key) : key.of(items)));
      const isIn = [where, only].reduce((marks, each) => (each ? both(marks, each.of(items)) : marks), items.isIn);
      const groups = groupsOfAll(Object.values(columns), items.size, isIn);
      const firsts = firstsOf(groups);
      const named = mapped(columns, (column) => Float64Array.from(gathered(column, firsts)));
      const figures = mapped(measures, (measure) => measure.of(groups, items));
      return enoughOf({ size: groups.count, columns: { ...named, ...figures } });

      function enoughOf(table: Table): Table {
        return enough === undefined ? table : withEnough(table, enough, asked.question);
      }
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
  kept: allKept(counts),
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

/** What all of them need of what is kept; undefined where one does not follow from it. */
export const allKept = (counts: readonly Pick<Counting, 'kept'>[]): Counting['kept'] =>
  counts.reduce<Counting['kept']>((names, { kept }) => names && kept && [...names, ...kept], []);

const tablesOf = <Of extends Asked>(counts: readonly Counting<Of>[], asked: Of): readonly Table[] =>
  counts.map(({ count }) => count(asked));

/** By what follows from a field. */
export const rangesOf = (name: string, rangeOf: (value: number) => number): Key => ({
  fields: isSessionField(name) ? [name] : [],
  of: ({ field }) => Int32Array.from(field(name), rangeOf),
});
