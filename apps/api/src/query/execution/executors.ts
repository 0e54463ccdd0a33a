import { type PlanReads, readsOf } from '@ledgerline/aggregation/aggregation';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { numberCell, totalSaidBy, type SqlRow } from '../declaration/fields';
import { isPastRetention, type QueryContext, type Question } from '../declaration/query-context';
import type { QueryRows, QueryType, Counting, SqlSource } from '../declaration/query-type';
import type { AggregateTask, Execution } from './request-aggregates';
import { countRows, readList, readQueryRows } from './run-sql';

/** The plan by which the rows of a query type are found. */
export interface PlannedQuery {
  readonly type: QueryType;
  readonly context: QueryContext;
  readonly executor: Executor;
  /** Why this one. */
  readonly reason: string;
  /** The task that is aggregated for it together with all that the request needs, and not read by SQL. */
  readonly task: AggregateTask | undefined;
}

/** One way of finding the rows of query types. */
interface Executor {
  readonly name: ExecutorName;
  /** Why it executes a type; undefined = it does not. */
  readonly plan: (type: QueryType, context: QueryContext) => string | undefined;
  readonly aggregate?: (type: QueryType, context: QueryContext) => AggregateTask | undefined;
  /** The rows before a page is cut out: all, but of a long list those up to the end of the page. */
  readonly run: (query: PlannedQuery, execution: Execution<Queryable>) => Promise<QueryRows>;
}

export type ExecutorName = 'own' | 'fifteenMinutes' | 'rollups' | 'sessionColumns' | 'facts';

/** Answers a type that reads from something else than tables of events. */
const own: Executor = {
  name: 'own',
  plan: ({ sources }) => sources.own?.reason,
  async run({ type, context }, { sources }) {
    const read = sources[type.sources.own?.name ?? ''];
    if (!read) throw new Error(`${type.name} has no source of its own.`);
    const { rows, notes } = await read(context);
    return { rows, total: rows.length, notes };
  },
};

/** SQL over blocks of 15 minutes. */
const fifteenMinutes: Executor = {
  name: 'fifteenMinutes',
  plan: ({ sources }, context) =>
    sources.fifteenMinutes && !selectsSome(context) && !(sources.blocksAreOfOne && context.ids.length > 1)
      ? 'blocks of 15 minutes add up to the days of any zone'
      : undefined,
  run: (query, execution) => runFromSql(query, 'fifteenMinutes', execution),
};

const rollups: Executor = {
  name: 'rollups',
  plan: (type, context) =>
    type.counting && lackingFor(type, readsOfType(type.counting)?.rollups, context) === undefined
      ? 'whole days in the zone of the website'
      : undefined,
  aggregate: (type, context) => taskOf('rollups', type, context),
  run: runCounted,
};

/** Loops over columns of sessions. */
const sessionColumns: Executor = {
  name: 'sessionColumns',
  plan(type, context) {
    const { counting, sources } = type;
    if (!counting) return undefined;
    if (!sources.facts || (selectsSome(context) && hasSorted(counting, context)))
      return lackingFor(type, readsOfType(counting)?.rollups, context);
    return hasSorted(counting, context) && !isQuickFromFacts(type, counting, context)
      ? 'facts are slow to count or to sort'
      : undefined;
  },
  aggregate: (type, context) => taskOf('sessionColumns', type, context),
  run: runCounted,
};

/** SQL over single facts. */
const facts: Executor = {
  name: 'facts',
  plan({ counting }, context) {
    if (!counting) return 'it is not counted from sessions';
    return hasSorted(counting, context)
      ? 'without filters facts are read as they are'
      : 'columns do not have what it is sorted by';
  },
  aggregate(type, context) {
    const plan = type.sources.singles?.total;
    if (!plan || !hasTotalInRollups(type, context)) return undefined;
    return { type, context: { ...context, ...WHATEVER_PAGE }, from: 'rollups', plan, isTotal: true };
  },
  run: (query, execution) => runFromSql(query, 'facts', execution),
};

/**
 * The first that plans a type executes it. Where several could, they give the same rows, but for figures from histograms
 * (within 1 %) and the order of rows by them.
 */
export const EXECUTORS: readonly Executor[] = [own, fifteenMinutes, rollups, sessionColumns, facts];

/** Plans a type for the first executor that can execute it. */
export function planQuery(type: QueryType, context: QueryContext): PlannedQuery {
  for (const executor of EXECUTORS) {
    const reason = executor.plan(type, context);
    if (reason !== undefined) return planFor(executor, type, context, reason);
  }
  throw new Error(`Nothing executes ${type.name}.`);
}

/** Plans a type for an executor, whether or not it is the first one. */
export const planFor = (executor: Executor, type: QueryType, context: QueryContext, reason: string): PlannedQuery => ({
  type,
  context,
  executor,
  reason,
  task: executor.aggregate?.(type, context),
});

function taskOf(from: AggregateTask['from'], type: QueryType, context: QueryContext): AggregateTask | undefined {
  const declared = type.counting?.plan;
  const plan = typeof declared === 'function' ? declared(context) : declared;
  return plan && { type, context, from, plan, isTotal: false };
}

/** Returns what a type evaluates, and the rollups from which it follows; undefined where that depends on options. */
export const readsOfType = ({ plan }: Counting): PlanReads | undefined =>
  typeof plan === 'function' ? undefined : readsOf(plan);

/** Why rollups do not answer; undefined = they do. They have no filters, and days of the website's own zone. */
function lackingFor({ shape }: QueryType, names: readonly string[] | undefined, context: QueryContext) {
  if (selectsSome(context)) return 'filters select sessions';
  if (!names) return 'it does not follow from rollups';
  if (!hasDays(context)) return 'rollups are by days of the zone of the website';
  if (shape === 'series' && context.granularity !== 'daily') return 'rollups are by day';
  return names.every((name) => context.rollups.has(name)) ? undefined : 'rollups are being filled';
}

/** Returns whether filters or a segment leave something out. */
const selectsSome = ({ filters, did }: Question): boolean => filters.length > 0 || did.length > 0;

/** Returns whether it is a range of whole days in the website's own zone. */
function hasDays({ zone, ownZone, from, to, ...days }: Question): boolean {
  const whole = instantsOf(days, zone);
  return zone === ownZone && from === whole.from && to === whole.to;
}

/** Returns whether columns have what rows are sorted by. */
const hasSorted = ({ isInOrderOf }: Counting, { sort }: Question): boolean =>
  !sort || !isInOrderOf || isInOrderOf.includes(sort.field);

/** Returns whether facts are read in the order of an index, and rollups say how many there are. */
const isQuickFromFacts = (type: QueryType, { isInOrderOf }: Counting, context: QueryContext): boolean =>
  !isInOrderOf || (hasTotalInRollups(type, context) && (!context.sort || context.sort.field === isInOrderOf[0]));

/** Returns whether rollups say how many rows a list of single things has. */
const hasTotalInRollups = (type: QueryType, context: QueryContext): boolean =>
  type.sources.singles?.total !== undefined &&
  !isPastRetention(context, context.from) &&
  lackingFor(type, readsOf(type.sources.singles.total).rollups, context) === undefined;

/** All pages of a list have the same total. */
const WHATEVER_PAGE = { page: { page: 1, limit: 1 }, sort: null };

async function runFromSql(
  { type, context, task }: PlannedQuery,
  source: SqlSource,
  execution: Execution<Queryable>,
): Promise<QueryRows> {
  const { client, aggregates } = execution;
  const rows = await (type.shape === 'list'
    ? readList(type, context, source, execution)
    : readQueryRows(type, context, source, client));
  const count = () => (task ? aggregates.totalOf(task) : countRows(type, context, source, client));
  return { rows, total: await totalOf(type, totalIn(type, context, rows), count) };
}

/** Single things, and what only they have, are read from facts by the times that were found. */
async function runCounted({ type, context, task }: PlannedQuery, execution: Execution<Queryable>): Promise<QueryRows> {
  if (!task) throw new Error(`${type.name} is not counted.`);
  const { aggregates, client } = execution;
  const counted = await aggregates.rowsOf(task);
  const notes = await aggregates.notesOf(task);
  if (type.arrange) return { ...(await type.arrange(counted, context, client)), notes };
  const count = () => totalIn(type, context, counted) ?? counted.length;
  if (!type.sources.facts || counted.length === 0)
    return { rows: counted, total: await totalOf(type, undefined, count), notes };
  const found = foundIn(counted, context);
  const rows = found ? await readList(type, { ...context, found }, 'facts', execution) : [];
  return { rows, total: await totalOf(type, totalIn(type, context, rows), count), notes };
}

/** The times of the rows; undefined after the last page. */
function foundIn(counted: readonly SqlRow[], { page: { page, limit } }: Question): QueryContext['found'] {
  const [first = {}] = counted;
  const numbers = (name: string) => counted.map((row) => numberCell(row, name));
  if ('total_rows' in first && (page - 1) * limit >= numberCell(first, 'total_rows')) return undefined;
  return { times: numbers('at'), ...('value' in first ? { values: numbers('value') } : {}) };
}

/** Returns the total of a list as it was found, or else as it is counted. */
const totalOf = (type: QueryType, found: number | undefined, count: () => Promise<number> | number) =>
  type.shape === 'list' ? (found ?? count()) : undefined;

/** Returns whether rows are in the order of time up to now: a limit keeps the newest. */
export const pagesFromNewest = ({ shape, range, order }: QueryType): boolean =>
  shape === 'series' || (range === 'minutes' && order[0]?.direction === 'asc');

/** Returns the number of rows a list has, if the rows say so or are all there are. */
function totalIn(type: QueryType, { page, sort }: Question, found: readonly SqlRow[]): number | undefined {
  const said = totalSaidBy(found);
  if (said !== undefined) return said;
  const isWhole = sort !== null || pagesFromNewest(type) || found.length < page.page * page.limit;
  return !type.sources.singles && isWhole ? found.length : undefined;
}
