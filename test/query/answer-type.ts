import type { Pool } from 'pg';
import type { Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import { earlierRange, type Comparison } from '@ledgerline/domain/query/comparison';
import type { RowOrder, AnswerRow } from '@ledgerline/domain/query/rows';
import { readTransaction, type Queryable } from '@ledgerline/platform/database/pool';
import { partitionOf, readPartitions } from '@ledgerline/platform/intake-log/intake-log';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { ParameterOptions } from '../../apps/api/src/query/declaration/options';
import type { QueryContext } from '../../apps/api/src/query/declaration/query-context';
import type { QueryAbout, QueryType } from '../../apps/api/src/query/declaration/query-type';
import {
  answerParameter,
  findRows,
  pageOfRows,
  contextOf,
  planParameter,
  tasksOf,
} from '../../apps/api/src/query/execution/answer';
import {
  EXECUTORS,
  type ExecutorName,
  planFor,
  type PlannedQuery,
  planQuery,
} from '../../apps/api/src/query/execution/executors';
import { lookUpFilters } from '../../apps/api/src/query/execution/filters';
import {
  type AggregateTask,
  type Execution,
  RequestAggregates,
} from '../../apps/api/src/query/execution/request-aggregates';
import type { ParameterResult } from '../../apps/api/src/query/execution/response';
import { queryTargetIds, type QueryTarget } from '../../apps/api/src/query/request/query-targets';
import { ResponseSizeLimit } from '../../apps/api/src/query/session-columns/memory-budget';
import { SessionCounter } from '../../apps/api/src/query/session-columns/session-counter';
import { Audience, QueryDeadline } from '../../apps/api/src/query/snapshot/request-lifetime';
import { type QueryMeans, readSnapshot, type Snapshot } from '../../apps/api/src/query/snapshot/snapshot';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';

/** One request, without HTTP and callers. */
export interface TypeRequest {
  readonly about: QueryAbout;
  readonly id: string;
  /** The tag, with the links that have it. */
  readonly tag?: QueryTarget['tag'];
  readonly isPaused?: boolean;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly timezone: string;
  readonly startDate: string;
  readonly endDate: string;
  /** The begin of a range that is not of whole days (epoch ms). */
  readonly from?: number;
  readonly to?: number;
  readonly granularity: Granularity;
  readonly filters: readonly Filter[];
  readonly page?: number;
  readonly limit?: number;
  readonly minSamples?: number;
  readonly minutes?: number;
  readonly sort?: RowOrder;
  /** The options of types that take some. */
  readonly options?: ParameterOptions;
  readonly visitorIdentity?: string;
  readonly segment?: SegmentDefinition;
  /** Epoch ms. */
  readonly now: number;
}

/** Answers a type by the executor the planner picks, or by a given one. */
export type Ask = (type: QueryType, executor?: ExecutorName) => Promise<readonly AnswerRow[]>;

export async function asking(on: Queryable, wish: TypeRequest): Promise<Ask> {
  const find = await finding(on, wish);
  return async (type, executor) => (await find(type, executor)).rows;
}

/** The rows of the page, and how many rows a list has in all. */
export type Find = (type: QueryType, executor?: ExecutorName) => Promise<ParameterResult>;

/** `main` has the log of what `on` has the read models of; by default they are one database. */
export async function finding(on: Queryable, wish: TypeRequest, main: Queryable = on): Promise<Find> {
  const { about, id, ownZone, now, page = 1, limit = 10_000, timezone, startDate, endDate, granularity } = wish;
  const { visitorIdentity = 'stable' } = wish;
  const target = {
    about,
    id,
    name: id,
    ...(wish.tag && { tag: wish.tag }),
    isPaused: wish.isPaused ?? false,
    zone: ownZone,
    visitorIdentity,
    publicOnly: false,
  };
  const partitions = await partitionsFor(queryTargetIds(target), main);
  const snapshot = await readSnapshot({ client: on, main, partitions }, target, now);
  const asked = [...wish.filters, ...(wish.segment?.filters ?? [])];
  const filters = await lookUpFilters(on, { target, filters: asked }, snapshot);
  const contextFor = (type: QueryType) => {
    const isLimited = wish.limit !== undefined;
    const { minSamples, minutes, ...asked } = wish;
    const options = type.takes.options.length > 0 ? (wish.options ?? type.takes.example ?? {}) : {};
    const range = { startDate, endDate, ...partOf(asked) };
    const parameter = { type, ...range, granularity, limit, isLimited, minSamples, minutes, options };
    const { sort = null, segment = null } = wish;
    return contextOf(parameter, { target, zone: timezone, page, sort, segment }, filters, snapshot);
  };
  const counted = CATALOGUE.filter(
    (type) => about === 'website' && type.about === about && type.takes.options.length === 0,
  );
  const together = new Map(
    counted.flatMap((type) => {
      const context = contextFor(type);
      const columns = type.counting ? [planned(type, context, 'sessionColumns')] : [];
      return [
        [keyOf(type), planned(type, context)] as const,
        ...columns.map((query) => [keyOf(type, 'sessionColumns'), query] as const),
      ];
    }),
  ); // as if all types were asked at once, by whatever may execute them
  const tasks = [...together.values()].flatMap(({ task }) => task ?? []);
  const ofAll = runOn(on, { main, snapshot, counted: tasks });
  return async (type, executor) => {
    const known = together.get(keyOf(type, executor));
    // facts alone count their rows, too
    const context = { ...contextFor(type), ...(executor === 'facts' && { rollups: new Set<string>() }) };
    const query = known ?? planned(type, context, executor);
    const execution = known ? ofAll : runOn(on, { main, snapshot, counted: query.task ? [query.task] : [] });
    const found = await findRows(query, execution);
    execution.aggregates.release();
    return { ...found, rows: await pageOfRows(type, context, found.rows) };
  };
}

const keyOf = ({ name }: QueryType, executor?: ExecutorName) => `${name} ${executor}`;

/** By the planner, or for a given executor. */
export function planned(type: QueryType, context: QueryContext, name?: ExecutorName): PlannedQuery {
  const executor = EXECUTORS.find((each) => each.name === name);
  return executor ? planFor(executor, type, context, 'it is forced') : planQuery(type, context);
}

const partOf = ({ from, to }: Pick<TypeRequest, 'from' | 'to'>) =>
  from === undefined || to === undefined ? {} : { from, to };

async function partitionsFor(ids: readonly string[], main: Queryable): Promise<number[]> {
  const all = (await readPartitions(main)) ?? 1;
  return ids.length === 0 ? [0] : [...new Set(ids.map((id) => partitionOf(id, all)))];
}

/** A type compared with an earlier range, as the API does. */
export async function findCompared(
  pool: Pool,
  type: QueryType,
  wish: TypeRequest,
  comparison: Comparison,
): Promise<ParameterResult> {
  const { about, id, ownZone, now, page = 1, limit = 10_000, timezone: zone, startDate, endDate, granularity } = wish;
  const target = { about, id, name: id, zone: ownZone, visitorIdentity: 'stable', publicOnly: false };
  return readTransaction(pool, 'begin isolation level repeatable read', async (client) => {
    const partitions = await partitionsFor([id], pool);
    const snapshot = await readSnapshot({ client, main: pool, partitions }, target, now);
    const filters = await lookUpFilters(client, { target, filters: wish.filters }, snapshot);
    const isLimited = wish.limit !== undefined;
    const range = { startDate, endDate, ...partOf(wish) };
    const earlier = earlierRange({ ...range, zone, now, preset: 'today' }, comparison);
    const { minSamples } = wish;
    const own = { type, ...range, granularity, limit, isLimited, minSamples, earlier, options: {} };
    const parameter = { ...own, id: undefined, notes: [] };
    const asked = { ...range, target, zone, page, sort: wish.sort ?? null, segment: null, limit, granularity };
    const request = { ...asked, id: '', parameters: [parameter], filters: wish.filters, notes: [] };
    const query = planParameter(parameter, request, filters, snapshot);
    if (query.failure) throw query.failure;
    const execution = runOn(client, { main: pool, snapshot, counted: tasksOf(query) });
    return answerParameter(query, execution, new ResponseSizeLimit());
  });
}

/** The counter of the specs of a process, which have one cache and its threads. */
const counter = new SessionCounter({ queryCacheMb: 16, queryMemoryMb: 256 }, new Metrics(), { warn: () => undefined });

const NO_SNAPSHOT = undefined as unknown as Snapshot; // of work that reads none

interface On {
  readonly main?: Queryable;
  readonly snapshot?: Snapshot;
  /** The tasks that are counted at once. */
  readonly counted?: readonly AggregateTask[];
}

/** For a client that stays, in a snapshot if one was read. */
export function runOn<Client extends Queryable>(
  client: Client,
  { main = client, snapshot = NO_SNAPSHOT, counted = [] }: On = {},
): Execution<Client> {
  const run: QueryMeans<Client> = {
    client,
    main,
    snapshot,
    counter,
    targets: { linkNames: () => Promise.resolve(new Map()) },
    sources: { history: () => Promise.resolve({ rows: [] }) },
    deadline: new QueryDeadline(),
    audience: new Audience(new AbortController().signal),
    onPlan: () => undefined,
    requestId: undefined,
  };
  return { ...run, aggregates: new RequestAggregates(run, counted) };
}

/** One type, once. */
export const askType = async (
  on: Queryable,
  type: QueryType,
  wish: TypeRequest,
  executor?: ExecutorName,
): Promise<readonly AnswerRow[]> => (await asking(on, wish))(type, executor);
