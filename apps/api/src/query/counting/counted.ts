import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Numbers } from '@ledgerline/contracts/read-models/session-chunk';
import type { Question, SessionCounting } from '../query-type';
import { firstsOf, groupsOfAll } from './groups';
import { gathered } from './columns';
import { each, isSessionField, perSession, type Asked, type Items, type ItemSource } from './items';
import { COUNT, SESSIONS, VISITORS, type Condition, type Measure } from './measures';
import { joined, leftJoined, rowsAt, type Table } from './tables';

/** What a query type counts, before it is ranked. */
export interface Count {
  readonly fields: readonly SessionField[];
  readonly units: readonly Unit[];
  readonly of: (asked: Asked) => Table;
}

/** What items are grouped by: a field, or what follows from fields; negative values leave the item out. */
export type Key = string | { readonly fields: readonly SessionField[]; readonly of: (items: Items) => Numbers };

interface Declared {
  /** Units of this kind in the range, or other items. */
  readonly of: Unit | ItemSource;
  /** Columns; without any all items are one group. */
  readonly by?: Readonly<Record<string, Key>>;
  readonly where?: Condition;
  readonly measures: Readonly<Record<string, Measure>>;
  /** Groups of less are left out. */
  readonly atLeast?: Readonly<Record<string, number | ((question: Question) => number)>>;
}

/** A row for each group of items. */
export function counted({ of, by = {}, where, measures, atLeast = {} }: Declared): Count {
  const keys = Object.entries(by);
  const source = typeof of === 'string' ? sourceOf(of, keys, Object.values(measures)) : of;
  const needing = [source, ...Object.values(measures), ...(where ? [where] : [])];
  return {
    units: source.units,
    fields: [...needing.flatMap(({ fields = [] }) => fields), ...keys.flatMap(([, key]) => fieldsOf(key))],
    of(asked) {
      const items = source.of(asked);
      const columns = keys.map(
        ([name, key]) => [name, typeof key === 'string' ? items.field(key) : key.of(items)] as const,
      );
      const groups = groupsOfAll(
        columns.map(([, column]) => column),
        items.size,
        where ? both(items.isIn, where.of(items)) : items.isIn,
      );
      const firsts = firstsOf(groups);
      const named = columns.map(([name, column]) => [name, Float64Array.from(gathered(column, firsts))] as const);
      const figures = Object.entries(measures).map(([name, measure]) => [name, measure.of(groups, items)] as const);
      const table = { size: groups.count, columns: Object.fromEntries([...named, ...figures]) };
      return having(table, atLeast, asked.question);
    },
  };
}

function both(isIn: Items['isIn'], marks: Uint8Array): Uint8Array {
  for (let at = 0; at < marks.length; at++) if (isIn[at] === 0) marks[at] = 0;
  return marks;
}

const fieldsOf = (key: Key): readonly SessionField[] =>
  typeof key !== 'string' ? key.fields : isSessionField(key) ? [key] : [];

/** What sessions have as a whole is counted by session: there are fewer of them. */
function sourceOf(unit: Unit, keys: readonly (readonly [string, Key])[], measures: readonly Measure[]): ItemSource {
  const isOfSessions = keys.every(([, key]) => typeof key === 'string' && isSessionField(key));
  return isOfSessions && measures.every((measure) => OF_SESSIONS.has(measure)) ? perSession(unit) : each(unit);
}

const OF_SESSIONS: ReadonlySet<Measure> = new Set([COUNT, VISITORS, SESSIONS]);

function having(table: Table, bounds: NonNullable<Declared['atLeast']>, question: Question): Table {
  return Object.entries(bounds).reduce((left, [name, least]) => {
    const bound = typeof least === 'number' ? least : least(question);
    const column = left.columns[name] ?? new Float64Array();
    return rowsAt(
      left,
      Int32Array.from(column.keys()).filter((row) => (column[row] ?? 0) >= bound),
    );
  }, table);
}

/** The rows of each count that agree in their keys as one row. */
export const together = (keys: readonly string[], ...counts: readonly Count[]): Count => ({
  ...needsOf(counts),
  of: (asked) =>
    joined(
      keys,
      counts.map((count) => count.of(asked)),
    ),
});

/** The rows of a count with what others have of the same keys. */
export const beside = (keys: readonly string[], first: Count, ...others: readonly Count[]): Count => ({
  ...needsOf([first, ...others]),
  of: (asked) =>
    leftJoined(
      keys,
      first.of(asked),
      others.map((count) => count.of(asked)),
    ),
});

const needsOf = (counts: readonly Count[]) => ({
  fields: counts.flatMap(({ fields }) => fields),
  units: counts.flatMap(({ units }) => units),
});

/** The rows as they were counted: of totals, of series, and of short lists in an order of their own. */
export const rowsOf = (count: Count, texts: Readonly<Record<string, string>> = {}): SessionCounting => ({
  ...distinctNeeds(count),
  texts,
  count: (sessions, question, lookup) => count.of({ sessions, question, lookup }),
});

export const distinctNeeds = ({ fields, units }: Count) => ({
  fields: [...new Set(fields)],
  units: [...new Set(units)],
});
