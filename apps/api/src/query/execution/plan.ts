import type { QueryContext, QueryType, Source } from '../query-type';
import { hasDays } from '../sql/blocks';

/** What executes a query type: SQL over rollups, loops over columns of sessions, or SQL over single facts. */
export type Executor = 'rollups' | 'sessionColumns' | 'facts';

export type Plan = {
  /** Why it is this one. */
  readonly reason: string;
} & (
  | { readonly executor: 'rollups' | 'facts'; readonly source: Source }
  | { readonly executor: 'sessionColumns'; readonly source?: undefined }
);

type Planned = Pick<QueryType, 'sources' | 'sessionColumns' | 'shape'>;

/**
 * Chooses what executes a type. Where two executors could, they give the same rows, but for figures from histograms
 * (within 1 %) and the order of rows by them.
 */
export function plan(type: Planned, context: QueryContext): Plan {
  const source = rollupOf(type, context);
  if (source) return { executor: 'rollups', source, reason: REASONS[source] };
  const isFiltered = context.filters.length > 0;
  const reason = isFiltered ? 'filters select sessions' : 'no rollup has this range in this zone';
  if (!type.sessionColumns) return { executor: 'facts', source: 'facts', reason: 'it is not counted from sessions' };
  if (isFiltered || !type.sources.facts) return { executor: 'sessionColumns', reason };
  return { executor: 'facts', source: 'facts', reason: 'single events are in their order there' };
}

const REASONS = {
  fifteenMinutes: 'blocks of 15 minutes add up to the days of any zone',
  days: 'whole days in the zone of the website',
  hours: 'whole hours in the zone of the website',
} as const;

/** Rollups have no filters. Those of 15 minutes are in any zone, those of days and hours in the website's own. */
function rollupOf({ sources, shape }: Planned, context: QueryContext): keyof typeof REASONS | undefined {
  if (context.filters.length > 0) return undefined;
  if (sources.fifteenMinutes) return 'fifteenMinutes';
  if (!hasDays(context)) return undefined;
  const wanted = shape === 'series' && context.granularity === 'hourly' ? 'hours' : 'days';
  return sources[wanted] && wanted;
}
