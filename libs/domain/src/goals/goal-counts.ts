import type { GoalDefinition } from '@ledgerline/contracts/definitions';
import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Asked } from '../counting/asked';
import { bucketsAt } from '../counting/series-bucket';
import { tableOfRows, type Table } from '../counting/tables';
import { Revenues } from './amounts';
import { NO_VALUE, valuesOfUnits, type Values } from './breakdown';
import { propertyOfUnits, unitOfKind, unitsMeeting, type FoundCondition } from './found-condition';

/** A goal that is asked for; the id is null of one that the question defines. */
export interface NamedGoal extends GoalDefinition {
  readonly id: string | null;
  readonly name: string;
}

/** What goals are counted from, with their conditions in their order. */
export type AskedGoals = Asked & { readonly conditions: readonly FoundCondition[] };

/** The properties that a goal's revenue needs. */
export const propertiesOfGoal = ({ value }: Pick<GoalDefinition, 'value'>): readonly string[] =>
  value ? [value.property, ...(typeof value.currency === 'object' ? [value.currency.property] : [])] : [];

/** Calls for each unit with a mark, with its visitor (-1 = none). */
function eachMarked(
  { sessions }: Asked,
  unit: Unit,
  marks: Uint8Array,
  take: (at: number, visitor: number) => void,
): void {
  const visitors = sessions.unit(unit).field('visitor');
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1) take(at, visitors[at] ?? -1);
}

/** Calls for each conversion of a goal: those in the range that the filters select. */
export function eachConversion(
  asked: Asked,
  condition: FoundCondition,
  take: (at: number, visitor: number) => void,
): void {
  const unit = unitOfKind(condition.kind);
  const { isIn } = asked.sessions.unit(unit);
  const marks = unitsMeeting(condition, asked.sessions).map((mark, at) => mark & (isIn[at] ?? 0));
  eachMarked(asked, unit, marks, take);
}

/** Calls for each page view that the filters select in the range. */
const eachView = (asked: Asked, take: (at: number, visitor: number) => void): void =>
  eachMarked(asked, 'views', asked.sessions.unit('views').isIn, take);

/** Adds what a conversion was worth. */
function amountsFor(goal: Pick<GoalDefinition, 'value'>, condition: FoundCondition, { sessions }: Asked) {
  const { property, currency } = goal.value ?? {};
  if (property === undefined) return () => undefined;
  const textsOf = (name: string) => {
    const { places, values } = propertyOfUnits(condition, name, sessions);
    return (at: number) => values[places[at] ?? -1];
  };
  const amount = textsOf(property);
  const currencyAt = typeof currency === 'object' ? textsOf(currency.property) : () => currency;
  return (to: Revenues, at: number, visitor: number) => to.add(amount(at), currencyAt(at), visitor);
}

/** A row for each goal, in their order; `converted` of the visitors (`whole`) that the range has. */
export function countGoals(asked: AskedGoals, goals: readonly NamedGoal[]): Table {
  const viewers = new Set<number>();
  eachView(asked, (_, visitor) => visitor >= 0 && viewers.add(visitor));
  return tableOfRows(
    goals.map((goal, nth) => {
      const condition = conditionAt(asked, nth);
      const [visitors, amounts, add] = [new Set<number>(), new Revenues(), amountsFor(goal, condition, asked)];
      let conversions = 0;
      eachConversion(asked, condition, (at, visitor) => {
        conversions++;
        if (visitor >= 0) visitors.add(visitor);
        add(amounts, at, visitor);
      });
      const figures = { conversions, visitors: visitors.size, converted: sizeOfBoth(visitors, viewers) };
      return { goal_id: goal.id, name: goal.name, ...figures, whole: viewers.size, revenue: amounts.rows };
    }),
  );
}

function conditionAt({ conditions }: AskedGoals, nth: number): FoundCondition {
  const condition = conditions[nth];
  if (!condition) throw new Error('The condition of a goal was not looked up.');
  return condition;
}

const sizeOfBoth = (some: ReadonlySet<number>, others: ReadonlySet<number>): number => {
  let size = 0;
  for (const one of some) if (others.has(one)) size++;
  return size;
};

/** The same of each bucket of a series (`bucket`) for each goal (`goal`). */
export function countGoalsByBucket(asked: AskedGoals, goals: readonly NamedGoal[]): Table {
  const buckets = asked.question.buckets.map((_, nth) => nth + 1);
  const viewers = byBucket();
  const bucketsOfViews = bucketsOf(asked, 'views');
  eachView(asked, (at, visitor) => visitor >= 0 && viewers(bucketsOfViews[at] ?? -1).add(visitor));
  const rows = goals.flatMap((goal, nth) => {
    const condition = conditionAt(asked, nth);
    const [visitors, conversions] = [byBucket(), new Map<number, number>()];
    const bucketOf = bucketsOf(asked, unitOfKind(condition.kind));
    eachConversion(asked, condition, (at, visitor) => {
      const bucket = bucketOf[at] ?? -1;
      conversions.set(bucket, (conversions.get(bucket) ?? 0) + 1);
      if (visitor >= 0) visitors(bucket).add(visitor);
    });
    return buckets.map((bucket) => ({
      ...{ bucket, goal: nth, goal_id: goal.id, name: goal.name },
      ...{ conversions: conversions.get(bucket) ?? 0, visitors: visitors(bucket).size },
      ...{ converted: sizeOfBoth(visitors(bucket), viewers(bucket)), whole: viewers(bucket).size },
    }));
  });
  return tableOfRows(rows);
}

function byBucket(): (bucket: number) => Set<number> {
  const sets = new Map<number, Set<number>>();
  return (bucket) => {
    const set = sets.get(bucket) ?? new Set<number>();
    sets.set(bucket, set);
    return set;
  };
}

/** Of each unit in the range. */
const bucketsOf = ({ sessions, question }: Asked, unit: Unit) => bucketsAt(question, sessions.unit(unit).field('at'));

/** A row for each value of an attribute, a path or a property, with its text id in `value` or its text in `text`. */
export function countGoalBy(asked: AskedGoals, goal: NamedGoal, by: string): Table {
  const condition = conditionAt(asked, 0);
  const groups = new Map<number, Group>();
  const groupOf = (value: number): Group => {
    const group = groups.get(value) ?? {
      viewers: new Set(),
      visitors: new Set(),
      conversions: 0,
      amounts: new Revenues(),
    };
    groups.set(value, group);
    return group;
  };
  const values = valuesOfUnits(asked, unitOfKind(condition.kind), by, condition);
  const everyViewer = viewersBy(asked, by, groupOf);
  const add = amountsFor(goal, condition, asked);
  eachConversion(asked, condition, (at, visitor) => {
    const group = groupOf(values.at(at));
    group.conversions++;
    if (visitor >= 0) group.visitors.add(visitor);
    add(group.amounts, at, visitor);
  });
  return tableOfValues(values, groups, ({ viewers, visitors, conversions, amounts }) => {
    const ofValue = everyViewer ?? viewers;
    const figures = { visitors: ofValue.size, converted: sizeOfBoth(visitors, ofValue), conversions };
    return { ...figures, revenue: amounts.rows };
  });
}

interface Group {
  /** Of page views. */
  readonly viewers: Set<number>;
  readonly visitors: Set<number>;
  conversions: number;
  readonly amounts: Revenues;
}

/** Adds the visitors of each value; of a property, which page views do not have, answers all of the range. */
function viewersBy(asked: Asked, by: string, groupOf: (value: number) => Group): ReadonlySet<number> | undefined {
  const values = valuesOfUnits(asked, 'views', by);
  const all = new Set<number>();
  eachView(asked, (at, visitor) => {
    if (visitor < 0) return;
    if (values.isOfProperty) all.add(visitor);
    else groupOf(values.at(at)).viewers.add(visitor);
  });
  return values.isOfProperty ? all : undefined;
}

/** A row for each value. */
export const tableOfValues = <Of>(
  values: Values,
  groups: ReadonlyMap<number, Of>,
  rowOf: (group: Of) => Readonly<Record<string, unknown>>,
): Table =>
  tableOfRows(
    [...groups].map(([value, group]) => ({
      value: values.isOfProperty || value === NO_VALUE ? 0 : value,
      ...{ is_none: value === NO_VALUE, property: values.textOf(value), ...rowOf(group) },
    })),
    ['value'],
  );

/** A row for each currency. */
export function countRevenue(asked: AskedGoals, goal: Pick<GoalDefinition, 'value'>): Table {
  const condition = conditionAt(asked, 0);
  const [amounts, add] = [new Revenues(), amountsFor(goal, condition, asked)];
  eachConversion(asked, condition, (at, visitor) => add(amounts, at, visitor));
  return tableOfRows(amounts.figures.map((figures) => ({ ...figures })));
}
