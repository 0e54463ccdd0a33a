import { type PlanReads, readsOf } from '@ledgerline/aggregation/aggregation';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { numberIn, totalSaidBy, type SqlRow } from '../declaration/fields';
import type { QueryContext, Question } from '../declaration/query-context';
import type { QueryType, SessionCounting, Source } from '../declaration/query-type';
import type { AggregateTask } from '../session-columns/aggregate-task';
import { countRows, readList, readRows, type Task } from './run-sql';

interface Found {
  readonly rows: readonly SqlRow[];
  /** Of a list, how many rows there are in all. */
  readonly total?: number | undefined;
  readonly notes?: readonly string[];
}

/** One way of finding the rows of query types. */
export interface Executor {
  readonly name: ExecutorName;
  /** Why it executes a type; undefined = it does not. */
  readonly plan: (type: QueryType, context: QueryContext) => string | undefined;
  /** What is aggregated for it, and not read by SQL, together with all that the request needs. */
  readonly aggregate?: (type: QueryType, context: QueryContext) => AggregateTask | undefined;
  /** The rows before a page is cut out: all, but of a long list those up to the end of the page. */
  readonly run: (task: Task) => Promise<Found>;
}

export type ExecutorName = 'own' | 'fifteenMinutes' | 'rollups' | 'sessionColumns' | 'facts';

/** What a type reads by itself, from something else than tables of events. */
const own: Executor = {
  name: 'own',
  plan: ({ sources }) => sources.own?.reason,
  async run({ type, context, execution }) {
    if (!type.sources.own) throw new Error(`${type.name} reads nothing by itself.`);
    const { found, notes } = await type.sources.own.read(context, execution);
    return { rows: found, total: found.length, notes };
  },
};

/** SQL over blocks of 15 minutes. */
const fifteenMinutes: Executor = {
  name: 'fifteenMinutes',
  plan: ({ sources }, context) =>
    sources.fifteenMinutes && !selectsSome(context) && !(sources.blocksAreOfOne && context.ids.length > 1)
      ? 'blocks of 15 minutes add up to the days of any zone'
      : undefined,
  run: (task) => runSql(task, 'fifteenMinutes'),
};

const rollups: Executor = {
  name: 'rollups',
  plan: (type, context) =>
    type.sessionColumns && lackingFor(type, readsOfType(type.sessionColumns)?.rollups, context) === undefined
      ? 'whole days in the zone of the website'
      : undefined,
  aggregate: (type, context) => ({ type, context, from: 'rollups', isTotal: false }),
  run: (task) => runCounted(task, 'rollups'),
};

/** Loops over columns of sessions. */
const sessionColumns: Executor = {
  name: 'sessionColumns',
  plan(type, context) {
    const { sessionColumns: columns, sources } = type;
    if (!columns) return undefined;
    if (!sources.facts || (selectsSome(context) && hasSorted(columns, context)))
      return lackingFor(type, readsOfType(columns)?.rollups, context);
    return hasSorted(columns, context) && !isQuickFromFacts(type, columns, context)
      ? 'facts are slow to count or to sort'
      : undefined;
  },
  aggregate: (type, context) => ({ type, context, from: 'sessionColumns', isTotal: false }),
  run: (task) => runCounted(task, 'sessionColumns'),
};

/** SQL over single facts. */
const facts: Executor = {
  name: 'facts',
  plan({ sessionColumns: columns }, context) {
    if (!columns) return 'it is not counted from sessions';
    return hasSorted(columns, context)
      ? 'without filters facts are read as they are'
      : 'columns do not have what it is sorted by';
  },
  aggregate: (type, context) =>
    hasTotalInRollups(type, context)
      ? { type, context: { ...context, ...WHATEVER_PAGE }, from: 'rollups', isTotal: true }
      : undefined,
  run: (task) => runSql(task, 'facts', facts.aggregate?.(task.type, task.context)),
};

/**
 * The first that plans a type executes it. Where several could, they give the same rows, but for figures from histograms
 * (within 1 %) and the order of rows by them.
 */
export const EXECUTORS: readonly Executor[] = [own, fifteenMinutes, rollups, sessionColumns, facts];

/** What executes a type, and why. */
export function plan(type: QueryType, context: QueryContext): { executor: Executor; reason: string } {
  for (const executor of EXECUTORS) {
    const reason = executor.plan(type, context);
    if (reason !== undefined) return { executor, reason };
  }
  throw new Error(`Nothing executes ${type.name}.`);
}

/** What a type evaluates, and the rollups from which it follows; undefined where that depends on options. */
export const readsOfType = ({ plan }: SessionCounting): PlanReads | undefined =>
  typeof plan === 'function' ? undefined : readsOf(plan);

/** Why rollups do not answer; undefined = they do. They have no filters, and days of the website's own zone. */
function lackingFor({ shape }: QueryType, names: readonly string[] | undefined, context: QueryContext) {
  if (selectsSome(context)) return 'filters select sessions';
  if (!names) return 'it does not follow from rollups';
  if (!hasDays(context)) return 'rollups are by days of the zone of the website';
  if (shape === 'series' && context.granularity !== 'daily') return 'rollups are by day';
  return names.every((name) => context.rollups.has(name)) ? undefined : 'rollups are being filled';
}

/** Whether filters or a segment leave something out. */
const selectsSome = ({ filters, did }: Question): boolean => filters.length > 0 || did.length > 0;

/** Whether it is a range of whole days in the website's own zone. */
function hasDays({ zone, ownZone, from, to, ...days }: Question): boolean {
  const whole = instantsOf(days, zone);
  return zone === ownZone && from === whole.from && to === whole.to;
}

/** Whether columns have what rows are sorted by. */
const hasSorted = ({ isInOrderOf }: SessionCounting, { sort }: Question): boolean =>
  !sort || !isInOrderOf || isInOrderOf.includes(sort.field);

/** Whether facts are read in the order of an index, and rollups say how many there are. */
const isQuickFromFacts = (type: QueryType, { isInOrderOf }: SessionCounting, context: QueryContext): boolean =>
  !isInOrderOf || (hasTotalInRollups(type, context) && (!context.sort || context.sort.field === isInOrderOf[0]));

/** Of a list of single things: whether rollups say how many there are. */
const hasTotalInRollups = (type: QueryType, context: QueryContext): boolean =>
  type.sources.singles?.total !== undefined &&
  lackingFor(type, readsOf(type.sources.singles.total).rollups, context) === undefined;

/** All pages of a list have the same total. */
const WHATEVER_PAGE = { page: { page: 1, limit: 1 }, sort: null };

async function runSql(task: Task, source: Source, total?: AggregateTask): Promise<Found> {
  const { type, context, execution } = task;
  const rows = await (type.shape === 'list' ? readList : readRows)(task, source);
  const count = () => (total ? execution.aggregates.totalOf(total) : countRows(task, source));
  return { rows, total: await totalOf(type, totalIn(type, context, rows), count) };
}

/** Single things, and what only they have, are read from facts by the times that were found. */
async function runCounted({ type, context, execution }: Task, from: AggregateTask['from']): Promise<Found> {
  const task = { type, context, from, isTotal: false };
  const counted = await execution.aggregates.rowsOf(task);
  const notes = await execution.aggregates.notesOf(task);
  if (type.arrange) {
    const { found, total } = await type.arrange(counted, context, execution.client);
    return { rows: found, total, notes };
  }
  const count = () => totalIn(type, context, counted) ?? counted.length;
  if (!type.sources.facts || counted.length === 0)
    return { rows: counted, total: await totalOf(type, undefined, count), notes };
  const found = foundIn(counted, context);
  const rows = found ? await readList({ type, context: { ...context, found }, execution }, 'facts') : [];
  return { rows, total: await totalOf(type, totalIn(type, context, rows), count), notes };
}

/** The times of the rows; undefined after the last page. */
function foundIn(counted: readonly SqlRow[], { page: { page, limit } }: Question): QueryContext['found'] {
  const [first = {}] = counted;
  const numbers = (name: string) => counted.map((row) => numberIn(row, name));
  if ('total_rows' in first && (page - 1) * limit >= numberIn(first, 'total_rows')) return undefined;
  return { times: numbers('at'), ...('value' in first ? { values: numbers('value') } : {}) };
}

/** Of a list as it was found, or else as it is counted. */
const totalOf = (type: QueryType, found: number | undefined, count: () => Promise<number> | number) =>
  type.shape === 'list' ? (found ?? count()) : undefined;

/** Whether rows are in the order of time up to now: a limit keeps the newest. */
export const pagesFromNewest = ({ shape, range, order }: QueryType): boolean =>
  shape === 'series' || (range === 'minutes' && order[0]?.direction === 'asc');

/** How many rows a list has, if the rows say so or are all there are. */
function totalIn(type: QueryType, { page, sort }: Question, found: readonly SqlRow[]): number | undefined {
  const said = totalSaidBy(found);
  if (said !== undefined) return said;
  const isWhole = sort !== null || pagesFromNewest(type) || found.length < page.page * page.limit;
  return !type.sources.singles && isWhole ? found.length : undefined;
}
