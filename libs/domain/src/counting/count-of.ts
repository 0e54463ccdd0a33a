import type { Aggregate } from '@ledgerline/contracts/aggregates/aggregate';
import { type Table, columnOf, joined, mapped, rowsAt } from './tables';
import { UNIT_FIELDS, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Asked, Counting, Question } from './asked';
import { countKept } from './count-kept';
import { firstsOf, groupsOfAll } from './groups';
import { gathered, placesWith } from './columns';
import { isSessionField, itemSource, perSession, type Items } from './items';
import { figuresOfMeasures } from './measures';
import { rollupNames, rollupPlan } from './rollup-plan';
import { both, columnOfKey, isLookedUp, marksOf, readBy } from './operators';

/** Evaluates an aggregate: a row for each group of its items. */
export function countOf(aggregate: Aggregate): Counting {
  const { by = {}, where, only, measures, enough } = aggregate;
  const { units, fields, ofSessions } = readBy(aggregate);
  const plan = rollupPlan(aggregate);
  const source = isOfSessions(aggregate, fields) ? perSession(aggregate.of) : itemSource(aggregate.of);
  return {
    aggregates: [aggregate],
    units: [...source.units, ...units],
    fields: [...(source.fields ?? []), ...ofSessions],
    kept: plan && rollupNames(plan),
    readsLinkDomains: Object.values(by).some(isLookedUp),
    count(asked) {
      if (asked.kept && plan) return enoughOf(countKept(plan, asked, asked.kept));
      const items = source.of(asked);
      const columns = mapped(by, (key) => columnOfKey(key, items));
      const isIn = [where, only].reduce(
        (marks, each) => (each ? both(marks, marksOf(each, items)) : marks),
        items.isIn,
      );
      const groups = groupsOfAll(Object.values(columns), items.size, isIn);
      const firsts = firstsOf(groups);
      const named = mapped(columns, (column) => Float64Array.from(gathered(column, firsts)));
      return enoughOf({
        size: groups.count,
        columns: { ...named, ...figuresOfMeasures(measures, groups, items) },
      });

      function enoughOf(table: Table): Table {
        return enough === undefined ? table : withEnough(table, enough, asked.question);
      }
    },
  };
}

/** The items of an aggregate, whatever it has by sessions. */
export const itemsOf = ({ of }: Pick<Aggregate, 'of'>, asked: Asked): Items => itemSource(of).of(asked);

/** What sessions have as a whole is counted by session: there are fewer of them. */
const isOfSessions = (
  aggregate: Aggregate,
  fields: readonly string[],
): aggregate is Aggregate & { readonly of: Unit } =>
  isUnit(aggregate.of) &&
  fields.every(isSessionField) &&
  Object.values(aggregate.by ?? {}).every((key) => typeof key === 'string') &&
  Object.values(aggregate.measures).every((measure) => typeof measure === 'string');

/** Whether the rows of an aggregate are units, and not sessions or steps. */
export const isUnit = (of: Aggregate['of']): of is Unit => of in UNIT_FIELDS;

function withEnough(table: Table, name: string, { minSamples }: Question): Table {
  const isEnough = Uint8Array.from(columnOf(table, name), (value) => (value >= minSamples ? 1 : 0));
  return rowsAt(table, placesWith(isEnough));
}

/** The rows of each count that agree in their keys as one row. */
export const joinCounts = <Of extends Asked>(
  keys: readonly string[],
  ...counts: readonly Counting<Of>[]
): Counting<Of> => ({
  aggregates: counts.flatMap(({ aggregates = [] }) => aggregates),
  fields: counts.flatMap(({ fields = [] }) => fields),
  units: counts.flatMap(({ units = [] }) => units),
  kept: allKept(counts),
  readsLinkDomains: counts.some(({ readsLinkDomains }) => readsLinkDomains),
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
