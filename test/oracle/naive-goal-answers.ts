import type { GoalDefinition } from '@ledgerline/contracts/definitions';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { conversionsIn, valueOf, type Happened } from './naive-conditions';
import { buckets, distinct, percent, type NaiveRequest } from './naive-request';
import { select, type Selection } from './naive-selection';
import { sorted, type Row } from './naive-website-answers';

export interface NaiveGoal extends GoalDefinition {
  readonly name: string;
}

const visitorOf = ({ event }: Happened) => event.data.visitorId;
const visitorsOf = (some: readonly Happened[]) => new Set(some.map(visitorOf).filter((visitor) => visitor !== null));
const both = (some: ReadonlySet<string>, others: ReadonlySet<string>) => [...some].filter((each) => others.has(each));

interface Found {
  readonly amounts: number[];
  readonly visitors: (string | null)[];
  unreadable: number;
}

/** Returns the revenue of amounts with two decimals at most, of which whole hundredths are added up. */
export function revenueOf(conversions: readonly Happened[], { value }: GoalDefinition) {
  if (!value) return [];
  const found = new Map<string | null, Found>();
  for (const { event } of conversions) {
    const properties: Readonly<Record<string, unknown>> =
      (event.type === 'CustomEventTracked' ? event.data.properties : null) ?? {};
    const amount = properties[value.property];
    if (amount === undefined || amount === null) continue;
    const named: unknown = typeof value.currency === 'object' ? properties[value.currency.property] : value.currency;
    const currency: string | null =
      typeof named === 'string' && /^\s*[a-z]{3}\s*$/i.test(named) ? named.trim().toUpperCase() : null;
    const own: Found = found.get(currency) ?? { amounts: [], visitors: [], unreadable: 0 };
    found.set(currency, own);
    const isText = typeof amount === 'string' && /^-?\d+(\.\d+)?$/.test(amount);
    if ((typeof amount !== 'number' && !isText) || Math.abs(Number(amount)) > 1e15) own.unreadable++;
    else own.visitors.push((own.amounts.push(Number(amount)), event.data.visitorId));
  }
  return [...found]
    .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
    .map(([currency, { amounts, visitors, unreadable }]) => {
      const hundredths = amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0);
      const median = [...amounts].sort((a, b) => a - b)[Math.floor((amounts.length - 1) / 2)] ?? null;
      const average = amounts.length === 0 ? null : rounded(hundredths, amounts.length);
      return {
        currency,
        sum: hundredths / 100,
        events: amounts.length,
        visitors: distinct(visitors),
        average,
        median,
        unreadable,
      };
    });
}

/** Hundredths by a number, with four decimals, halves away from zero. */
const rounded = (hundredths: number, by: number) =>
  (Math.sign(hundredths) * Math.floor((200 * Math.abs(hundredths) + by) / (2 * by))) / 10_000;

const shortRevenue = (conversions: readonly Happened[], goal: GoalDefinition) =>
  revenueOf(conversions, goal).map(({ currency, sum, events, unreadable }) => ({ currency, sum, events, unreadable }));

function figuresOf(selection: Selection, goal: NaiveGoal) {
  const conversions = conversionsIn(selection, goal.condition);
  const visitors = visitorsOf(conversions);
  const viewers = visitorsOf(selection.views);
  return {
    goal_id: null,
    name: goal.name,
    conversions: conversions.length,
    visitors: visitors.size,
    conversion_rate: percent(both(visitors, viewers).length, viewers.size),
  };
}

export const naiveGoals = (
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  goals: readonly NaiveGoal[],
): Row[] => {
  const selection = select(events, request);
  return goals.map((goal) => ({
    ...figuresOf(selection, goal),
    revenue: shortRevenue(conversionsIn(selection, goal.condition), goal),
  }));
};

export const naiveGoalsByDay = (
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  goals: readonly NaiveGoal[],
): Row[] => {
  const selection = select(events, request);
  return buckets(request).flatMap((bucket) => {
    const within = <Of extends Happened>(some: readonly Of[]) => some.filter(({ event }) => bucket.has(event.at));
    const { views, custom, outgoing, errors, spans, vitals, clicks } = selection;
    const part = {
      ...selection,
      views: within(views),
      custom: within(custom),
      outgoing: within(outgoing),
      errors: within(errors),
      spans: within(spans),
      vitals: within(vitals),
      clicks: within(clicks),
    };
    return goals.map((goal) => ({ date: bucket.date, ...figuresOf(part, goal) }));
  });
};

export function naiveGoalBy(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  goal: NaiveGoal,
  by: string,
): Row[] {
  const selection = select(events, request);
  const conversions = conversionsIn(selection, goal.condition);
  const isOfProperty = by.startsWith('property:');
  const named = isOfProperty
    ? conversions
    : [...conversions, ...selection.views.filter(({ event }) => event.data.visitorId !== null)];
  const rows = [...new Set(named.map((each) => valueOf(each, by)))].map((value) => {
    const own = conversions.filter((each) => valueOf(each, by) === value);
    const viewers = visitorsOf(
      isOfProperty ? selection.views : selection.views.filter((view) => valueOf(view, by) === value),
    );
    const converted = both(visitorsOf(own), viewers).length;
    return {
      name: value === '' ? '(none)' : value,
      visitors: viewers.size,
      converted,
      conversion_rate: percent(converted, viewers.size),
      conversions: own.length,
      revenue: shortRevenue(own, goal),
    };
  });
  return sorted(rows, ['visitors', 'converted', 'conversions']);
}

export function naiveRevenue(
  events: readonly WebsiteObservedEvent[],
  request: NaiveRequest,
  goal: GoalDefinition,
): Row[] {
  const rows = revenueOf(conversionsIn(select(events, request), goal.condition), goal);
  return rows.sort(
    (a, b) =>
      b.events - a.events ||
      b.visitors - a.visitors ||
      b.unreadable - a.unreadable ||
      (a.currency === null ? 1 : b.currency === null ? -1 : a.currency < b.currency ? -1 : 1),
  );
}
