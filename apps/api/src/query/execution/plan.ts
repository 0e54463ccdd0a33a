import { instantsOf } from '@ledgerline/domain/query/buckets';
import type { QueryContext, QueryType, SessionCounting } from '../query-type';
import type { AskedCount } from '../session-columns/request-counts';

/** What executes a query type: counts that are kept, SQL over rollups, loops over columns of sessions, or SQL over single facts. */
export type Executor = 'keptCounts' | 'rollups' | 'sessionColumns' | 'facts';

export interface Plan {
  readonly executor: Executor;
  /** Why it is this one. */
  readonly reason: string;
}

type Planned = Pick<QueryType, 'sources' | 'sessionColumns' | 'total' | 'shape'>;

/**
 * Chooses what executes a type. Where two executors could, they give the same rows, but for figures from histograms
 * (within 1 %) and the order of rows by them.
 */
export function plan(type: Planned, context: QueryContext): Plan {
  const { sessionColumns: columns, sources } = type;
  const isFiltered = context.filters.length > 0;
  if (sources.fifteenMinutes && !isFiltered)
    return { executor: 'rollups', reason: 'blocks of 15 minutes add up to the days of any zone' };
  if (!columns) return { executor: 'facts', reason: 'it is not counted from sessions' };
  const lacking = lackingFor(type, columns, context);
  if (!lacking) return { executor: 'keptCounts', reason: 'whole days in the zone of the website' };
  if (!sources.facts) return { executor: 'sessionColumns', reason: lacking };
  const { sort } = context;
  const { isInOrderOf } = columns;
  if (sort && isInOrderOf && !isInOrderOf.includes(sort.field))
    return { executor: 'facts', reason: 'columns do not have what it is sorted by' };
  const isQuick = !isInOrderOf || (hasKeptTotal(type, context) && (!sort || sort.field === isInOrderOf[0]));
  if (isFiltered || !isQuick) return { executor: 'sessionColumns', reason: isFiltered ? lacking : HOW_MANY };
  return { executor: 'facts', reason: 'without filters facts are read as they are' };
}

const HOW_MANY = 'facts are slow to count or to sort';

/** Why kept counts do not answer; undefined = they do. They have no filters, and days of the website's own zone. */
function lackingFor({ shape }: Pick<Planned, 'shape'>, { kept }: SessionCounting, context: QueryContext) {
  if (context.filters.length > 0) return 'filters select sessions';
  if (!kept) return 'it does not follow from kept counts';
  if (!hasDays(context)) return 'kept counts are by days of the zone of the website';
  if (shape === 'series' && context.granularity === 'hourly') return 'kept counts are by day';
  return context.hasKeptCounts ? undefined : 'kept counts are being filled';
}

/** Whether it is a range of whole days in the website's own zone. */
const hasDays = ({ zone, ownZone, to, ...days }: QueryContext): boolean =>
  zone === ownZone && to === instantsOf(days, zone).to;

/** Of a list of single things: whether kept counts say how many there are. */
const hasKeptTotal = (type: Pick<Planned, 'shape' | 'total'>, context: QueryContext): boolean =>
  type.total !== undefined && lackingFor(type, type.total, context) === undefined;

/** All pages of a list have the same total. */
const WHATEVER_PAGE = { page: { page: 1, limit: 1 }, sort: null };

/** What is counted, and not read by SQL, for a type that is executed like this. */
export function countFor(type: QueryType, context: QueryContext, executor: Executor): AskedCount | undefined {
  if (executor === 'keptCounts' || executor === 'sessionColumns')
    return { type, context, from: executor, isTotal: false };
  if (executor !== 'facts' || !hasKeptTotal(type, context)) return undefined;
  return { type, context: { ...context, ...WHATEVER_PAGE }, from: 'keptCounts', isTotal: true };
}
