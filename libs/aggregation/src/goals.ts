import type { GoalDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import { visitorsAt } from './aggregate-terms';
import { Revenues } from './amounts';
import { NO_VALUE, valuesOfUnits, type BreakdownValues } from './breakdown';
import { propertyOfUnits, unitOfKind, unitsMeeting, type CompiledCondition } from './compiled-condition';
import { distinctIn, groupsByValue, groupRepresentatives } from './groups';
import { type CountScope, bucketsAt } from './scope';
import { bytes, integers } from './scratch';
import { type ColumnTable, tableOfRows } from './tables';
import { conditionAt, type GoalScope } from './timeline';

/** A goal that is asked for; the id is null of one that the question defines. */
export interface NamedGoal extends GoalDefinition {
  readonly id: string | null;
  readonly name: string;
}

/** The properties that a goal's revenue needs. */
export const propertiesOfGoal = ({ value }: Pick<GoalDefinition, 'value'>): readonly string[] =>
  value ? [value.property, ...(typeof value.currency === 'object' ? [value.currency.property] : [])] : [];

/** Calls for each conversion of a goal: those in the range that the filters select. Visitors are numbered; -1 = none. */
function eachConversion(
  { sessions }: CountScope,
  condition: CompiledCondition,
  take: (at: number, visitor: number) => void,
): void {
  const { isIn, places } = sessions.unit(unitOfKind(condition.kind));
  const marks = unitsMeeting(condition, sessions);
  const { numbers } = sessions.visitors;
  for (let at = 0; at < marks.length; at++)
    if (marks[at] === 1 && isIn[at] === 1) take(at, numbers[places[at] ?? 0] ?? -1);
}

/** Numbers of visitors by a value. */
type VisitorsBy = ReadonlyMap<number, ReadonlySet<number>>;

/** Visitors by a value (at least -1) that each of their page views has, of those in the range that the filters select. */
function viewersBy({ sessions }: CountScope, valueOf: (view: number) => number) {
  const { size, places, isIn } = sessions.unit('views');
  const column = integers(size);
  for (let at = 0; at < size; at++) column[at] = valueOf(at) + 1; // numbers of groups begin with 0
  const groups = groupsByValue([column], size, isIn);
  const visitors = distinctIn(groups, visitorsAt(sessions, places)).subarray(0, -1);
  const byValue = new Map<number, number>();
  for (const [group, at] of groupRepresentatives(groups).entries())
    if (visitors[group]) byValue.set((column[at] ?? 0) - 1, visitors[group]); // a view may have no visitor
  const { numbers, count } = sessions.visitors;
  return {
    byValue,
    /** Returns which of these visitors of each value are among them. */
    among(some: VisitorsBy): VisitorsBy {
      const isAny = bytes(count);
      for (const visitors of some.values()) for (const visitor of visitors) isAny[visitor] = 1;
      const found = new Map<number, Set<number>>();
      for (let at = 0; at < size; at++) {
        const visitor = numbers[places[at] ?? 0] ?? -1;
        if (visitor < 0 || isIn[at] === 0 || isAny[visitor] === 0) continue;
        const value = (column[at] ?? 0) - 1;
        if (some.get(value)?.has(visitor)) setOf(found, value).add(visitor);
      }
      return found;
    },
  };
}

function setOf(sets: Map<number, Set<number>>, value: number): Set<number> {
  const set = sets.get(value) ?? new Set<number>();
  sets.set(value, set);
  return set;
}

/** Adds what a conversion, or so many millionths of one, was worth. */
export function amountsFor(
  goal: Pick<GoalDefinition, 'value'>,
  condition: CompiledCondition,
  { sessions }: CountScope,
) {
  const { property, currency } = goal.value ?? {};
  if (property === undefined) return () => undefined;
  const textsOf = (name: string) => {
    const { places, values } = propertyOfUnits(condition, name, sessions);
    return (at: number) => values[places[at] ?? -1];
  };
  const amount = textsOf(property);
  const currencyAt = typeof currency === 'object' ? textsOf(currency.property) : () => currency;
  return (to: Revenues, at: number, visitor: number, share?: number) =>
    to.add(amount(at), currencyAt(at), visitor, share);
}

/** A row for each goal, in their order; `converted` of the visitors (`whole`) that the range has. */
export function countGoals(scope: GoalScope, goals: readonly NamedGoal[]): ColumnTable {
  const found = goals.map((goal, nth) => {
    const condition = conditionAt(scope, nth);
    const visitors = new Set<number>();
    const amounts = new Revenues();
    const add = amountsFor(goal, condition, scope);
    let conversions = 0;
    eachConversion(scope, condition, (at, visitor) => {
      conversions++;
      if (visitor >= 0) visitors.add(visitor);
      add(amounts, at, visitor);
    });
    return { goal, conversions, visitors, amounts };
  });
  const viewers = viewersBy(scope, () => ALL);
  const viewed = viewersAmong(
    found.map(({ visitors }) => visitors),
    viewers,
  );
  return tableOfRows(
    found.map(({ goal, conversions, visitors, amounts }) => {
      const figures = { conversions, visitors: visitors.size, converted: sizeOfBoth(visitors, viewed) };
      const whole = viewers.byValue.get(ALL) ?? 0;
      return { goal_id: goal.id, name: goal.name, ...figures, whole, revenue: amounts.rows };
    }),
  );
}

/** The value that all have in common. */
const ALL = 0;

/** Returns which of all of these visitors are among viewers who have one value in common. */
function viewersAmong(
  some: readonly ReadonlySet<number>[],
  viewers: ReturnType<typeof viewersBy>,
): ReadonlySet<number> {
  const every = new Set<number>();
  for (const visitors of some) for (const visitor of visitors) every.add(visitor);
  return viewers.among(new Map([[ALL, every]])).get(ALL) ?? new Set();
}

const sizeOfBoth = (some: ReadonlySet<number>, others: ReadonlySet<number>): number => {
  let size = 0;
  for (const one of some) if (others.has(one)) size++;
  return size;
};

/** Counts goals in each bucket of a series (`bucket`) for each goal (`goal`). */
export function countGoalsByBucket(scope: GoalScope, goals: readonly NamedGoal[]): ColumnTable {
  const buckets = scope.request.series.days.map((_, nth) => nth + 1);
  const bucketsOf = (unit: Unit) => bucketsAt(scope.request, scope.sessions.unit(unit).field('at'));
  const ofViews = bucketsOf('views');
  const viewers = viewersBy(scope, (at) => ofViews[at] ?? -1);
  const rows = goals.flatMap((goal, nth) => {
    const condition = conditionAt(scope, nth);
    const visitors = new Map<number, Set<number>>();
    const conversions = new Map<number, number>();
    const bucketOf = bucketsOf(unitOfKind(condition.kind));
    eachConversion(scope, condition, (at, visitor) => {
      const bucket = bucketOf[at] ?? -1;
      conversions.set(bucket, (conversions.get(bucket) ?? 0) + 1);
      if (visitor >= 0) setOf(visitors, bucket).add(visitor);
    });
    const converted = viewers.among(visitors);
    return buckets.map((bucket) => ({
      bucket,
      goal: nth,
      goal_id: goal.id,
      name: goal.name,
      conversions: conversions.get(bucket) ?? 0,
      visitors: visitors.get(bucket)?.size ?? 0,
      converted: converted.get(bucket)?.size ?? 0,
      whole: viewers.byValue.get(bucket) ?? 0,
    }));
  });
  return tableOfRows(rows);
}

/** A row for each value of an attribute, a path or a property, with its text id in `value` or its text in `text`. */
export function countGoalBy(scope: GoalScope, goal: NamedGoal, by: string): ColumnTable {
  const condition = conditionAt(scope, 0);
  const values = valuesOfUnits(scope, unitOfKind(condition.kind), by, condition);
  const groups = new Map<number, { conversions: number; amounts: Revenues }>();
  const visitors = new Map<number, Set<number>>();
  const add = amountsFor(goal, condition, scope);
  eachConversion(scope, condition, (at, visitor) => {
    const value = values.at(at);
    const group = groups.get(value) ?? { conversions: 0, amounts: new Revenues() };
    groups.set(value, group);
    group.conversions++;
    if (visitor >= 0) setOf(visitors, value).add(visitor);
    add(group.amounts, at, visitor);
  });
  // page views have no properties: of each value all visitors are counted
  const viewers = viewersBy(scope, values.isOfProperty ? () => ALL : valuesOfUnits(scope, 'views', by).at);
  const viewed = values.isOfProperty ? viewersAmong([...visitors.values()], viewers) : viewers.among(visitors);
  const shown = new Set([...groups.keys(), ...(values.isOfProperty ? [] : viewers.byValue.keys())]);
  return tableOfValues(values, shown, (value) => {
    const { conversions, amounts } = groups.get(value) ?? { conversions: 0, amounts: new Revenues() };
    const converted = 'get' in viewed ? viewed.get(value)?.size : sizeOfBoth(visitors.get(value) ?? new Set(), viewed);
    const figures = {
      visitors: viewers.byValue.get(values.isOfProperty ? ALL : value) ?? 0,
      converted: converted ?? 0,
    };
    return { ...figures, conversions, revenue: amounts.rows };
  });
}

/** A row for each value. */
const tableOfValues = (
  values: BreakdownValues,
  shown: ReadonlySet<number>,
  rowOf: (value: number) => Readonly<Record<string, unknown>>,
): ColumnTable =>
  tableOfRows(
    [...shown].map((value) => ({
      value: values.isOfProperty || value === NO_VALUE ? 0 : value,
      is_none: value === NO_VALUE,
      property: values.textOf(value),
      ...rowOf(value),
    })),
    ['value'],
  );

/** A row for each currency. */
export function countRevenue(scope: GoalScope, goal: Pick<GoalDefinition, 'value'>): ColumnTable {
  const condition = conditionAt(scope, 0);
  const amounts = new Revenues();
  const add = amountsFor(goal, condition, scope);
  eachConversion(scope, condition, (at, visitor) => add(amounts, at, visitor));
  return tableOfRows(amounts.figures.map((figures) => ({ ...figures })));
}
