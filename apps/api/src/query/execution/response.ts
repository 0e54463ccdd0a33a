import type { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Row } from '@ledgerline/domain/query/rows';
import type { QueryRequest } from '../request/read-requests';
import type { Snapshot } from './snapshot';

export type QueryResponse = RequestAnswer | BatchAnswer;

export interface BatchAnswer {
  readonly success: true;
  readonly batch: true;
  readonly results: readonly Omit<RequestAnswer, 'success'>[];
}

export interface RequestAnswer {
  readonly success: true;
  readonly queryId: string;
  readonly data: readonly Entry[];
  readonly meta: ReturnType<typeof metaOf>;
}

/** Why an entry failed. JSON leaves symbols out, so that answers have only the message. */
export const PROBLEM = Symbol('problem');

/** How many rows a list has in all. */
export const TOTAL = Symbol('total');

/** The answer to one parameter. */
export type Entry =
  | {
      readonly parameter: string;
      readonly id?: string;
      readonly success: true;
      readonly data: readonly Row[];
      readonly [TOTAL]?: number;
    }
  | {
      readonly parameter: string;
      readonly id?: string;
      readonly success: false;
      readonly error: string;
      readonly [PROBLEM]: Problem;
      readonly data: readonly [];
    };

/** How the answer was computed. */
export const metaOf = (
  request: QueryRequest,
  snapshot: Snapshot,
  filtersApplied: number,
  notes: readonly string[],
  entries: readonly Entry[],
) => ({
  parameters: request.parameters.map(({ type }) => type.name),
  total_parameters: request.parameters.length,
  page: request.page,
  limit: request.limit,
  filters_applied: filtersApplied,
  startDate: request.startDate,
  endDate: request.endDate,
  timezone: request.zone,
  granularity: request.granularity,
  visitorIdentity: request.subject.visitorIdentity,
  asOf: snapshot.asOf,
  lagMs: snapshot.lagMs,
  notes: [...request.notes, ...notes],
  totals: totalsOf(entries),
});

/** By parameter, the first where several are the same, and by the id that a parameter was given. */
function totalsOf(entries: readonly Entry[]): Readonly<Record<string, number>> {
  const lists = entries.flatMap((entry) =>
    entry.success && entry[TOTAL] !== undefined ? [{ ...entry, total: entry[TOTAL] }] : [],
  );
  const byId = lists.flatMap(({ id, total }) => (id === undefined ? [] : [[id, total] as const]));
  const byName = lists.map(({ parameter, total }) => [parameter, total] as const).reverse();
  return Object.fromEntries([...byId, ...byName]);
}
