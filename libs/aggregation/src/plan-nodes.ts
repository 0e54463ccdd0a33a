import type { Aggregate } from '@ledgerline/contracts/aggregates/aggregate';
import type { ConditionDefinition } from '@ledgerline/contracts/definitions';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { fieldsOfBreakdown, propertiesOfBreakdown } from './breakdown';
import { take, rowsWhere } from './columns';
import { evaluateAggregate, readsOfAggregate, type ColumnReads } from './evaluate-aggregate';
import { countFunnel, countFunnelByBucket, listFunnelVisitors } from './funnel';
import { countGoalBy, countGoals, countGoalsByBucket, countRevenue, propertiesOfGoal } from './goals';
import { countJourneys } from './journeys';
import { countLinkConversions } from './link-conversions';
import type { CountPlan, ShareColumn } from './plan';
import { countRetention } from './retention';
import {
  tableColumn,
  joinTables,
  mapRecordValues,
  mostFrequentOf,
  newestRows,
  rankedRows,
  sortedRows,
  sumOfKnown,
  type ColumnTable,
} from './tables';
import type { GoalScope } from './timeline';

/** The part of sessions that a plan reads. */
export interface PlanReads extends ColumnReads {
  /** The aggregates that it evaluates, for people. */
  readonly aggregates: readonly Aggregate[];
  /** The conditions that are to be looked up, in the order in which it is given. */
  readonly conditions: readonly WantedCondition[];
  /**
   * Without it the sessions that filters select. Else all are read, so that what visitors did besides is known: since the
   * range begins, up to now; in all history; or so many ms before the range up to its end. Those that filters do not
   * select have no units in the range.
   */
  readonly every: 'visitors' | 'history' | number | undefined;
}

/** A condition, with the properties of its custom events that are needed beside those that it names. */
export interface WantedCondition {
  readonly condition: ConditionDefinition;
  readonly properties?: readonly string[];
}

const NOTHING: PlanReads = {
  aggregates: [],
  fields: [],
  units: [],
  conditions: [],
  rollups: [],
  readsLinkDomains: false,
  every: undefined,
};

/** Returns what a plan reads. @throws Error of an aggregate that does not follow from the rollup that it names */
export function planReads(plan: CountPlan): PlanReads {
  const reads = known.get(plan) ?? nodeOf(plan).reads(plan);
  known.set(plan, reads);
  return reads;
}

const known = new WeakMap<CountPlan, PlanReads>();

/** The table of a plan; times are epoch ms. A pure function. */
export const evaluatePlan = (plan: CountPlan, scope: GoalScope): ColumnTable => nodeOf(plan).count(plan, scope);

interface PlanNode<Of extends CountPlan> {
  readonly reads: (plan: Of) => PlanReads;
  readonly count: (plan: Of, scope: GoalScope) => ColumnTable;
}

type Kind = CountPlan['kind'];
type OfKind<K extends Kind> = CountPlan & { readonly kind: K };

/** TRICKY: the compiler does not see that the node is of the plan's own kind. */
const nodeOf = (plan: CountPlan) => NODES[plan.kind] as unknown as PlanNode<CountPlan>;

/** Returns what all parts read; it follows from rollups where all of them do. */
function allReads(parts: readonly PlanReads[]): PlanReads {
  const rollups = parts.map((part) => part.rollups);
  return {
    aggregates: parts.flatMap(({ aggregates }) => aggregates),
    fields: parts.flatMap(({ fields }) => fields),
    units: parts.flatMap(({ units }) => units),
    conditions: parts.flatMap(({ conditions }) => conditions),
    rollups: rollups.includes(undefined) ? undefined : rollups.flatMap((names) => names ?? []),
    readsLinkDomains: parts.some(({ readsLinkDomains }) => readsLinkDomains),
    every: parts.find(({ every }) => every !== undefined)?.every,
  };
}

const readsOfShare = (share: ShareColumn | undefined): readonly PlanReads[] =>
  share === undefined || share.of === 'sum' ? [] : [planReads(share.of)];

/** Returns what the share of a table's rows is a part of. */
function wholeFor(share: ShareColumn | undefined, table: ColumnTable, scope: GoalScope): number | undefined {
  if (share === undefined) return undefined;
  return share.of === 'sum'
    ? sumOfKnown(tableColumn(table, share.column))
    : (tableColumn(evaluatePlan(share.of, scope), 'whole')[0] ?? 0);
}

const aggregated = (aggregate: Aggregate) => ({ kind: 'aggregate', aggregate }) as const;

/** Returns the reads of what is decided event by event: nothing of it is in rollups. */
const ofEvents = (reads: Partial<PlanReads>): PlanReads => ({
  ...NOTHING,
  units: ['views'],
  fields: ['visitor', 'flags'],
  rollups: undefined,
  ...reads,
});

function join({ keys, parts, kind }: OfKind<'join'> | OfKind<'leftJoin'>, scope: GoalScope): ColumnTable {
  const tables = parts.map((part) => evaluatePlan(part, scope));
  return joinTables(keys, tables, kind === 'leftJoin' ? tables[0]?.size : undefined);
}

const NEWEST_VISIT: Aggregate = {
  of: 'counted_sessions',
  by: { visitor: 'visitor' },
  measures: { at: { greatest: 'first_at' } },
};

const readsOfFunnel = ({ funnel }: OfKind<'funnel' | 'funnelByBucket' | 'funnelVisitors'>, by?: string): PlanReads =>
  ofEvents({
    units: ['views', 'custom_events'],
    fields: ['visitor', 'flags', ...fieldsOfBreakdown(by ?? '')],
    every: 'visitors',
    conditions: funnel.steps.map(({ condition }, nth) => ({
      condition,
      properties: nth === 0 ? propertiesOfBreakdown(by, condition) : [],
    })),
  });

const NODES: { readonly [K in Kind]: PlanNode<OfKind<K>> } = {
  aggregate: {
    reads: ({ aggregate }) => ({ ...NOTHING, aggregates: [aggregate], ...readsOfAggregate(aggregate) }),
    count: ({ aggregate }, scope) => evaluateAggregate(aggregate, scope),
  },
  join: { reads: ({ parts }) => allReads(parts.map(planReads)), count: join },
  leftJoin: { reads: ({ parts }) => allReads(parts.map(planReads)), count: join },
  rank: {
    reads: ({ of, share }) => allReads([planReads(of), ...readsOfShare(share)]),
    count({ of, by, share }, scope) {
      const table = evaluatePlan(of, scope);
      return rankedRows(table, by, scope.request.top, wholeFor(share, table, scope));
    },
  },
  sort: {
    reads: ({ of, share }) => allReads([planReads(of), ...readsOfShare(share)]),
    count({ of, by, share }, scope) {
      const table = evaluatePlan(of, scope);
      return sortedRows(table, by, wholeFor(share, table, scope));
    },
  },
  mostFrequent: {
    reads: ({ of, texts }) => allReads([of, ...Object.values(texts).map(aggregated)].map(planReads)),
    count({ of, texts }, scope) {
      const rows = evaluatePlan(of, scope);
      const pages = Array.from(tableColumn(rows, 'value'));
      return {
        ...rows,
        lists: mapRecordValues(texts, (each) => mostFrequentOf(evaluateAggregate(each, scope), pages)),
      };
    },
  },
  newestUnits: {
    reads: ({ unit }) => ({ ...NOTHING, units: [unit], rollups: undefined }),
    count({ unit, isAscending = false }, { sessions, request: { top } }) {
      const { field, isIn } = sessions.unit(unit);
      return newestRows(Float64Array.from(take(field('at'), rowsWhere(isIn))), { isAscending, top });
    },
  },
  newestSessions: {
    reads: () => ({ ...NOTHING, units: ['views'], fields: ['first_at', 'duration_ms'], rollups: undefined }),
    count({ by, isAscending = false }, { sessions, request: { top } }) {
      const places = rowsWhere(sessions.isCounted);
      const counted = (column: Numbers) => Float64Array.from(take(column, places));
      const at = counted(sessions.field('first_at'));
      if (!by) return newestRows(at, { isAscending, top });
      const values = counted('unit' in by ? sessions.unit(by.unit).counts : sessions.field(by.field));
      return newestRows(at, { isAscending, values, top });
    },
  },
  newestVisitors: {
    reads: () => ({ ...NOTHING, ...readsOfAggregate(NEWEST_VISIT), aggregates: [NEWEST_VISIT] }),
    count: ({ isAscending = false }, scope) =>
      newestRows(tableColumn(evaluateAggregate(NEWEST_VISIT, scope), 'at'), { isAscending, top: scope.request.top }),
  },
  goals: {
    reads: ({ goals }) =>
      ofEvents({
        conditions: goals.map((goal) => ({ condition: goal.condition, properties: propertiesOfGoal(goal) })),
      }),
    count: ({ goals }, scope) => countGoals(scope, goals),
  },
  goalsByBucket: {
    reads: ({ goals }) => ofEvents({ conditions: goals.map(({ condition }) => ({ condition })) }),
    count: ({ goals }, scope) => countGoalsByBucket(scope, goals),
  },
  goalBy: {
    reads: ({ goal, by }) => {
      const { condition } = goal;
      const properties = [...propertiesOfGoal(goal), ...propertiesOfBreakdown(by, condition)];
      return ofEvents({
        fields: ['visitor', 'flags', ...fieldsOfBreakdown(by)],
        conditions: [{ condition, properties }],
      });
    },
    count: ({ goal, by }, scope) => countGoalBy(scope, goal, by),
  },
  revenue: {
    reads: ({ goal }) =>
      ofEvents({
        units: ['custom_events'],
        conditions: [{ condition: goal.condition, properties: propertiesOfGoal(goal) }],
      }),
    count: ({ goal }, scope) => countRevenue(scope, goal),
  },
  linkConversions: {
    reads: ({ goal, windowMs }) =>
      ofEvents({
        units: ['views', 'link_clicks'],
        every: windowMs,
        conditions: [
          { condition: goal.condition, properties: propertiesOfGoal(goal) },
          { condition: { kind: 'link_click' } },
        ],
      }),
    count: (options, scope) => countLinkConversions(scope, options),
  },
  funnel: {
    reads: (plan) => readsOfFunnel(plan, plan.by),
    count: ({ funnel, by }, scope) => countFunnel(scope, funnel, by),
  },
  funnelByBucket: {
    reads: (plan) => readsOfFunnel(plan),
    count: ({ funnel }, scope) => countFunnelByBucket(scope, funnel),
  },
  funnelVisitors: {
    reads: (plan) => readsOfFunnel(plan),
    count: ({ funnel, ...reached }, scope) => listFunnelVisitors(scope, funnel, reached),
  },
  retention: {
    reads: ({ first, again }) =>
      ofEvents({
        every: 'history',
        conditions: [first, again].flatMap((condition) => (condition ? [{ condition }] : [])),
      }),
    count: (options, scope) => countRetention(scope, options),
  },
  journeys: {
    reads: ({ begin }) => ofEvents({ units: ['views', 'custom_events'], conditions: [{ condition: begin }] }),
    count: (options, scope) => countJourneys(scope, options),
  },
};
