import { groupsOf } from '@ledgerline/aggregation/groups';
import type { CountPlan } from '@ledgerline/aggregation/plan';
import { evaluatePlan } from '@ledgerline/aggregation/plan-nodes';
import { isSessionField } from '@ledgerline/aggregation/row-sources';
import {
  NO_SERIES,
  type CountScope,
  type LookupRow,
  type CountRequest,
  type BucketSeries,
  type SelectedSessions,
  type SelectedUnits,
} from '@ledgerline/aggregation/scope';
import type { ColumnTable } from '@ledgerline/aggregation/tables';
import { SESSION_FLAG, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';

/** A session as a spec gives it; all that is left out is 0. */
export interface SomeSession {
  readonly visitor?: number;
  readonly fields?: Readonly<Partial<Record<SessionField, number>>>;
  readonly isCounted?: boolean;
  readonly isSingle?: boolean;
  readonly units?: Readonly<Partial<Record<Unit, readonly SomeUnit[]>>>;
}

/** Selected by filters on pages and in the range, unless it is marked. */
type SomeUnit = Readonly<Record<string, number>> & { readonly isOut?: 1; readonly isUnselected?: 1 };

/** These sessions as columns. */
export function selectedSessions(sessions: readonly SomeSession[]): SelectedSessions {
  const fieldOf = (name: SessionField) =>
    Float64Array.from(sessions, ({ fields = {}, isSingle }) =>
      name === 'flags' && isSingle ? SESSION_FLAG.single : (fields[name] ?? 0),
    );
  const unitsOf = (name: Unit): SelectedUnits => {
    const all = sessions.flatMap(({ units = {} }, place) => (units[name] ?? []).map((unit) => ({ unit, place })));
    return {
      size: all.length,
      counts: Int32Array.from(sessions, (_, nth) => all.filter(({ place }) => place === nth).length),
      places: Int32Array.from(all, ({ place }) => place),
      isSelected: Uint8Array.from(all, ({ unit }) => (unit.isUnselected ? 0 : 1)),
      isIn: Uint8Array.from(all, ({ unit }) => (unit.isUnselected || unit.isOut ? 0 : 1)),
      field: (field: string) =>
        isSessionField(field)
          ? Float64Array.from(all, ({ place }) => fieldOf(field)[place] ?? 0)
          : Float64Array.from(all, ({ unit }) => unit[field] ?? 0),
    };
  };
  return {
    size: sessions.length,
    visitors: groupsOf(Int32Array.from(sessions, ({ visitor = -1 }) => visitor)),
    isCounted: Uint8Array.from(sessions, ({ isCounted }) => (isCounted ? 1 : 0)),
    field: fieldOf,
    unit: unitsOf,
  };
}

/** A table as rows. */
export const rowsOfTable = ({ size, columns }: ColumnTable): Readonly<Record<string, number | null>>[] =>
  Array.from({ length: size }, (_, row) =>
    Object.fromEntries(
      Object.entries(columns).map(([name, { [row]: value = NaN }]) => [name, Number.isNaN(value) ? null : value]),
    ),
  );

/** Returns what a type counts of these sessions. */
export function countedRows(
  { name, counting }: QueryType,
  sessions: readonly SomeSession[],
  { given = {}, lookup = [] }: { readonly given?: Partial<CountRequest>; readonly lookup?: readonly LookupRow[] } = {},
) {
  const plan = counting?.plan;
  if (!plan || typeof plan === 'function') throw new Error(`What ${name} counts depends on its options.`);
  const scope = { sessions: selectedSessions(sessions), request: someRequest(given), lookup };
  return rowsOfTable(tableOf(plan, scope));
}

/** Returns the table of a plan that reads no conditions. */
export const tableOf = (plan: CountPlan, scope: Omit<CountScope, 'lookup'> & Partial<CountScope>): ColumnTable =>
  evaluatePlan(plan, { lookup: [], conditions: [], ...scope });

export const someRequest = (given: Partial<CountRequest> = {}): CountRequest => ({
  series: NO_SERIES,
  from: 0,
  to: 1000,
  filters: [],
  metricFilters: [],
  minSamples: 1,
  top: 1000,
  ...given,
});

/** A bucket between each of these times and the next one. */
export const seriesBetween = (...bounds: readonly number[]): BucketSeries => ({
  days: bounds.slice(1),
  stretches: bounds.slice(1).map((to, nth) => ({ from: bounds[nth]!, to, bucket: nth + 1 })),
});
