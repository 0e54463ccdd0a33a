import type { Aggregate, Key } from '@ledgerline/contracts/aggregates/aggregate';
import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import type { FunnelOptions } from './funnel-attempts';
import type { NamedGoal } from './goals';
import type { JourneyOptions } from './journeys';
import type { AttributionOptions } from './link-conversions';
import type { RetentionOptions } from './retention';

/**
 * A plan of what is counted of sessions, as data: a tree of nodes, each of which makes a table of the sessions or of
 * the tables of its parts. A thread that counts is given the plan, and needs to know nothing of query types.
 */
export type CountPlan = AggregatePlan | TablePlan | NewestPlan | GoalPlan | FunnelPlan | VisitorPlan;

/** The rows of an aggregate. */
interface AggregatePlan {
  readonly kind: 'aggregate';
  readonly aggregate: Aggregate;
}

type TablePlan =
  /** The rows of several tables that agree in their keys as one; left: rows that the first one has not are left out. */
  | { readonly kind: 'join' | 'leftJoin'; readonly keys: readonly string[]; readonly parts: readonly CountPlan[] }
  /** The rows that may be on the page, by these columns, each descending. */
  | { readonly kind: 'rank'; readonly of: CountPlan; readonly by: readonly string[]; readonly share?: ShareColumn }
  /** All rows in ascending order of a column. */
  | { readonly kind: 'sort'; readonly of: CountPlan; readonly by: string; readonly share?: ShareColumn }
  /** Beside rows of pages the texts that come with them most often, by column. */
  | {
      readonly kind: 'mostFrequent';
      readonly of: CountPlan;
      readonly texts: Readonly<Record<string, TextsOfPages>>;
    };

/** All that the counts of a column are parts of, which each row has as `whole`: `sum` where each is in exactly one row. */
export interface ShareColumn {
  readonly column: string;
  readonly of: 'sum' | AggregatePlan;
}

/** The number of times that each text comes with each page. */
export type TextsOfPages = Aggregate & {
  readonly by: Readonly<Record<'value' | 'text', Key>>;
  readonly measures: Pick<Aggregate['measures'], 'times'>;
};

/**
 * The plan of a list that is read from facts: the times (`at`) of its rows up to the end of the page, with all that
 * equal the last one. Those of units are their own, those of sessions of their first event, with the number (`value`)
 * by which they are sorted, and those of visitors of their newest session.
 */
type NewestPlan = { readonly isAscending?: boolean } & (
  | { readonly kind: 'newestUnits'; readonly unit: Unit }
  | { readonly kind: 'newestSessions'; readonly by?: SessionSort }
  | { readonly kind: 'newestVisitors' }
);

/** A number of each session: a field of it, or how many units it has. */
export type SessionSort = { readonly field: SessionField } | { readonly unit: Unit };

type GoalPlan =
  | { readonly kind: 'goals' | 'goalsByBucket'; readonly goals: readonly NamedGoal[] }
  | { readonly kind: 'goalBy'; readonly goal: NamedGoal; readonly by: string }
  | { readonly kind: 'revenue'; readonly goal: NamedGoal }
  | ({ readonly kind: 'linkConversions' } & AttributionOptions);

type FunnelPlan = { readonly funnel: FunnelOptions } & (
  | { readonly kind: 'funnel'; readonly by?: string | undefined }
  | { readonly kind: 'funnelByBucket' }
  | { readonly kind: 'funnelVisitors'; readonly step: number; readonly state: 'reached' | 'dropped' }
);

type VisitorPlan =
  | ({ readonly kind: 'retention' } & RetentionOptions)
  | ({ readonly kind: 'journeys' } & JourneyOptions);

export const aggregate = (declared: Aggregate): AggregatePlan => ({ kind: 'aggregate', aggregate: declared });

export const join = (keys: readonly string[], ...parts: readonly CountPlan[]): CountPlan => ({
  kind: 'join',
  keys,
  parts,
});

export const leftJoin = (keys: readonly string[], ...parts: readonly CountPlan[]): CountPlan => ({
  kind: 'leftJoin',
  keys,
  parts,
});
