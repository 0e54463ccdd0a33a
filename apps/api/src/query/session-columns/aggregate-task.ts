import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { PART_COLUMNS, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import {
  alternativesOf,
  type CompiledCondition,
  type CountedPlan,
  type CountRequest,
  isSessionField,
  type LookupRow,
  packedColumns,
  type Plan,
  readsOf,
  type RollupParts,
  type SegmentCriterion,
  unitOfKind,
  type WantedColumns,
  type WantedCondition,
} from '@ledgerline/aggregation/aggregation';
import { stretchesOf } from '@ledgerline/domain/query/buckets';
import { dayNumber } from '@ledgerline/domain/time/zones';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { traced } from '@ledgerline/platform/tracing/tracing';
import type { QueryContext } from '../declaration/query-context';
import type { QueryType, Services } from '../declaration/query-type';
import { ALWAYS, type Span } from '../sql/time';
import { readRollupParts, type RollupRead } from './rollup-parts';
import { memoryOf, type Need } from './memory-budget';
import { listOpenSessions, readOpenSessions } from './open-days';
import { listSealedDays, readColumns } from './sealed-days';
import type { SessionCounter } from './session-counter';

/** What is aggregated for a query type of a request. */
export interface AggregateTask {
  readonly type: QueryType;
  readonly context: QueryContext;
  readonly from: 'rollups' | 'sessionColumns';
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
}

/** What is aggregated with. */
export interface AggregateRun extends Pick<Services, 'targets'> {
  readonly client: Queryable;
  readonly counter: Pick<SessionCounter, 'cache' | 'count' | 'memory'>;
  readonly audience: { readonly signal: AbortSignal };
  readonly deadline: { readonly left: () => number };
}

/** Compiles a condition for the sessions of a span. */
export type Compile = (
  condition: WantedCondition,
  context: Pick<QueryContext, 'table' | 'website' | 'link' | 'from' | 'to'>,
) => Promise<CompiledCondition>;

/** Waits until so much memory is free, and takes it. */
export type Hold = (need: Need) => Promise<void>;

/** @throws Error for a type that is not counted */
function planOf(task: AggregateTask): Plan {
  const { type, isTotal, context } = task;
  const declared = isTotal ? type.sources.singles?.total : type.sessionColumns?.plan;
  if (!declared) throw new Error(`There is no way to count ${isTotal ? 'all of ' : ''}${type.name}.`);
  const plan = plans.get(task) ?? (typeof declared === 'function' ? declared(context) : declared);
  plans.set(task, plan);
  return plan;
}

const plans = new WeakMap<AggregateTask, Plan>();

/** Tasks with the same range are computed at once. */
export const rangeOf = (task: AggregateTask): string => {
  const { from, to } = spanOf(task);
  return [task.from, readsOf(planOf(task)).every !== undefined, from, to, task.context.from, task.context.to].join(' ');
};

/** The types of a request have the same filters, but perhaps other ranges and pages. */
export const keyOf = ({ type, context, from: source, isTotal }: AggregateTask): string => {
  const { from, to, page, sort, granularity, isLimited, minSamples, options } = context;
  const own = [from, to, page, sort, granularity, isLimited, minSamples, options];
  return JSON.stringify([type.name, source, isTotal, ...own]);
};

/** When the sessions are that are read for a task. */
function spanOf(task: AggregateTask): Span {
  const { every } = readsOf(planOf(task));
  const { from, to } = task.context;
  if (every === undefined) return { from, to };
  if (typeof every === 'number') return { from: from - every, to };
  return { from: every === 'history' ? ALWAYS.from : from, to: ALWAYS.to };
}

/** The plan of a task with all that is looked up for it. */
export async function planTask(on: Queryable, task: AggregateTask, compile: Compile): Promise<CountedPlan> {
  const { context, from } = task;
  const plan = planOf(task);
  const { readsLinkDomains, conditions } = readsOf(plan);
  const span = { ...context, ...spanOf(task) };
  const compiled = conditions.map((condition) => compile(condition, span));
  const lookup =
    readsLinkDomains && from === 'sessionColumns' ? await runSql<LookupRow>(on, linkDomainsOf(context)) : [];
  return { plan, request: requestOf(task), lookup, conditions: await Promise.all(compiled) };
}

/** The domain of a link is stored at its first click. */
const linkDomainsOf = ({ table, website }: QueryContext): Sql =>
  sql`select value, domain from ${table(linkDomains)} where website = ${website}`;

/** Single things are cut out in the order that is asked for; of other lists all rows are sorted. */
function requestOf({ type, context }: AggregateTask): CountRequest {
  const { from, to, filters, shareFilters, metricFilters, minSamples, page, sort } = context;
  const top = sort !== null && !type.sources.singles ? Infinity : page.page * page.limit;
  const series = { days: context.buckets.map(({ label }) => dayNumber(label)), stretches: stretchesOf(context) };
  return { from, to, series, filters, shareFilters, metricFilters, minSamples, top };
}

/** The columns of the sessions that tasks of one range are computed from. */
export async function readSessionColumns(
  { client, counter: { cache } }: AggregateRun,
  tasks: readonly [AggregateTask, ...AggregateTask[]],
  compile: Compile,
  hold: Hold,
) {
  const [first] = tasks;
  const { context } = first;
  const wanted = columnsFor(tasks);
  const isEverySession = readsOf(planOf(first)).every !== undefined;
  const isWhole = isEverySession || context.did.length > 0;
  const reading = isWhole ? { ...context, filters: [], ...spanOf(first) } : context;
  const deeds = context.did.map(async ({ condition, within, not = false }): Promise<SegmentCriterion> => ({
    ...{ within, isNegated: not },
    condition: await compile({ condition }, context),
  }));
  const sealed = await listSealedDays(client, reading);
  const listed = await listOpenSessions(client, reading, sealed);
  await hold(memoryOf({ packed: sealed.sessions + listed.packed, unpacked: listed.unpacked }, wanted));
  const columns = packedColumns(wanted);
  const ofParts = { columns: [...columns, ...PART_COLUMNS], cache };
  const open = await readOpenSessions(client, reading, listed, wanted, ofParts);
  const pieces = await readColumns(client, reading, sealed.pieces, { columns, cache });
  return { wanted, rows: sealed.rows, pieces, ...open, deeds: await Promise.all(deeds), isEverySession };
}

/** What every selection needs. */
const IN_EVERY_SELECTION: readonly SessionField[] = ['visitor', 'first_at', 'duration_ms', 'flags'];

function columnsFor(tasks: readonly AggregateTask[]): WantedColumns {
  const fields = new Set<SessionField>([...IN_EVERY_SELECTION, 'country', 'device_type']);
  const units = new Set<Unit>(['views']);
  for (const task of tasks) {
    const reads = readsOf(planOf(task));
    for (const field of reads.fields) fields.add(field);
    for (const unit of reads.units) units.add(unit);
    for (const { condition } of [...reads.conditions, ...task.context.did]) units.add(unitOfKind(condition.kind));
    for (const { field } of task.context.filters.flatMap(alternativesOf)) {
      if (isSessionField(field)) fields.add(field);
      if (field === 'event') units.add('custom_events');
    }
  }
  return { fields: [...fields], units: [...units] };
}

/** The rollups that tasks need, by range. */
export async function readRollups(
  { client, counter }: AggregateRun,
  tasks: readonly AggregateTask[],
): Promise<ReadonlyMap<string, RollupParts>> {
  const ranges = new Map<string, RollupRead & { readonly names: Set<string>; readonly byDay: Set<string> }>();
  const [first] = tasks;
  if (!first) throw new Error('Nothing is computed from rollups.');
  for (const task of tasks) {
    const [range, { startDate, endDate }] = [rangeOf(task), task.context];
    const days = { since: dayNumber(startDate), until: dayNumber(endDate) };
    const read = ranges.get(range) ?? { ...days, names: new Set<string>(), byDay: new Set<string>() };
    ranges.set(range, read);
    for (const name of readsOf(planOf(task)).rollups ?? []) {
      read.names.add(name);
      if (task.type.shape === 'series') read.byDay.add(name);
    }
  }
  const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': websiteRollups.name };
  const read = await traced(`SQL ${websiteRollups.name}`, { kind: 'client', attributes }, () =>
    readRollupParts(client, first.context, [...ranges.values()], counter.cache),
  );
  return new Map([...ranges.keys()].flatMap((range, nth) => (read[nth] ? [[range, read[nth]] as const] : [])));
}
