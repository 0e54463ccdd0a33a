import type { NamedGoal } from '@ledgerline/aggregation/aggregation';
import { ATTRIBUTES, SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { isProperty } from '@ledgerline/contracts/definitions';
import { percentage } from '@ledgerline/domain/query/rows';
import { closest } from '@ledgerline/domain/query/suggestion';
import {
  requiredCell,
  count,
  countFields,
  labelsOf,
  listField,
  numberCell,
  nullableField,
  percent,
  ratio,
  textField,
  textIn,
  type SqlRow,
} from '../../declaration/fields';
import { wrongOption, type ParameterOptions } from '../../declaration/options';
import type { GivenOptions } from '../../declaration/query-context';
import { byCounts, queryType } from '../../declaration/query-type';

const REVENUE = listField({ currency: nullableField(textField), sum: ratio, events: count, unreadable: count });
const LABELS = { goal_id: nullableField(textField), name: textField };

export const EXAMPLE_GOAL: NamedGoal = {
  id: null,
  name: 'Orders',
  condition: { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order_placed' }] },
  value: { property: 'amount', currency: 'EUR' },
};

const GOALS = { category: 'Goals', takes: { options: ['goals'], example: { goals: [EXAMPLE_GOAL] } } } as const;

const goalsIn = ({ goals = [] }: ParameterOptions): readonly NamedGoal[] => goals;

export const goalIn = ({ goal }: ParameterOptions): NamedGoal => {
  if (!goal) throw new Error('No goal is asked for.');
  return goal;
};

/** Returns the share of the visitors of the range. */
const rateIn = (row: SqlRow): number => percentage(numberCell(row, 'converted'), numberCell(row, 'whole'));

export const goals = queryType({
  ...GOALS,
  name: 'goals',
  shape: 'list',
  description: 'Conversions of goals, their visitors, and the share of all visitors of the range who converted',
  fields: { ...LABELS, conversions: count, visitors: count, conversion_rate: percent, revenue: REVENUE },
  counting: { plan: ({ options }) => ({ kind: 'goals', goals: goalsIn(options) }) },
  row: (row) => ({ conversion_rate: rateIn(row) }),
});

export const goalsByDay = queryType({
  ...GOALS,
  name: 'goals_by_day',
  shape: 'series',
  description: 'Conversions of goals over time, and the share of the visitors of each day who converted',
  fields: {
    date: textField,
    ...LABELS,
    name: { ...textField, splitBy: 'goal' },
    conversions: count,
    visitors: count,
    conversion_rate: percent,
  },
  counting: { plan: ({ options }) => ({ kind: 'goalsByBucket', goals: goalsIn(options) }) },
  row: (row) => ({ conversion_rate: rateIn(row) }),
});

const BREAKDOWNS: readonly string[] = [
  ...SESSION_ATTRIBUTES.filter((name) => ATTRIBUTES[name].kind !== 'version'),
  ...['entry_page', 'path'],
];

/** @throws Problem VALIDATION_ERROR for what nothing is broken down by */
export function checkBreakdown({ by }: ParameterOptions): void {
  if (by === undefined || isProperty(by) || BREAKDOWNS.includes(by)) return;
  const meant = closest(by, BREAKDOWNS);
  const suggestion = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw wrongOption('by', `by is one of ${BREAKDOWNS.join(', ')} and property:KEY.${suggestion}`);
}

/** The name of a value; of none `(none)`. */
export function nameOfValue(row: SqlRow, { by = '' }: ParameterOptions): string {
  if (requiredCell(row, 'is_none') !== false) return '(none)';
  return isProperty(by) ? textIn(row, 'property') : (labelsOf(by).of(textIn(row, 'text'))['name'] ?? '');
}

export const goalBy = queryType({
  name: 'goal_by',
  shape: 'list',
  category: 'Goals',
  description:
    'Conversions of a goal by an attribute of their session, its entry page, or their own path or property; visitors are ' +
    'those of the value in the range, converted those of them who converted there',
  takes: {
    options: ['goal', 'by'],
    needs: ['goal', 'by'],
    check: ({ options }) => checkBreakdown(options),
    example: { goal: EXAMPLE_GOAL, by: 'country' },
  },
  fields: {
    name: textField,
    ...countFields(['visitors', 'converted']),
    conversion_rate: percent,
    conversions: count,
    revenue: REVENUE,
  },
  order: byCounts(['visitors', 'converted', 'conversions'], 'name'),
  counting: {
    plan: ({ options }) => ({ kind: 'goalBy', goal: goalIn(options), by: options.by ?? '' }),
    texts: { text: 'value' },
  },
  row: (row, options) => ({
    name: nameOfValue(row, options),
    conversion_rate: percentage(numberCell(row, 'converted'), numberCell(row, 'visitors')),
  }),
});

/** Returns the goal of a question, or that of all custom events with a property. */
const valuedIn = ({ goal, property = '', currency }: ParameterOptions): NamedGoal =>
  goal ?? {
    id: null,
    name: property,
    condition: { kind: 'event' },
    value: { property, ...(currency && { currency }) },
  };

/** @throws Problem VALIDATION_ERROR unless it has one thing of worth */
function checkRevenue({ options: { goal, property, currency } }: GivenOptions): void {
  if ((goal === undefined) === (property === undefined))
    throw wrongOption('goal', 'revenue needs either goal or property.');
  if (goal && currency !== undefined)
    throw wrongOption('currency', 'currency belongs to property; a goal has its own.');
  if (goal && !goal.value) throw wrongOption('goal', `The goal ${JSON.stringify(goal.name)} has no value.`);
}

export const revenue = queryType({
  name: 'revenue',
  shape: 'list',
  category: 'Goals',
  description: 'What conversions of a goal, or custom events with a property, were worth by currency; sums are exact',
  takes: {
    options: ['goal', 'property', 'currency'],
    check: checkRevenue,
    example: { property: 'amount', currency: 'EUR' },
  },
  fields: {
    currency: nullableField(textField),
    sum: ratio,
    ...countFields(['events', 'visitors']),
    average: nullableField(ratio),
    median: nullableField(ratio),
    unreadable: count,
  },
  order: byCounts(['events', 'visitors', 'unreadable'], 'currency'),
  counting: { plan: ({ options }) => ({ kind: 'revenue', goal: valuedIn(options) }) },
});
