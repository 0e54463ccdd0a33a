import { earlierRange, type Comparison } from '@ledgerline/domain/query/comparison';
import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { Filter } from '@ledgerline/domain/query/filters';
import type { Order, Row } from '@ledgerline/domain/query/rows';
import { readTransaction, type Queryable } from '@ledgerline/platform/database/pool';
import { readPartitions } from '@ledgerline/platform/intake-log/intake-log-tables';
import { partitionOf } from '@ledgerline/platform/intake-log/partition-of';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { Pool } from 'pg';
import {
  answerParameter,
  type Answer,
  contextOf,
  contextsOf,
  countedTypes,
  pageOfRows,
} from '../../apps/api/src/query/execution/answer';
import { lookUpFilters } from '../../apps/api/src/query/execution/filters';
import { findRows, type Found } from '../../apps/api/src/query/execution/find-rows';
import { countFor, plan, type Executor } from '../../apps/api/src/query/execution/plan';
import { Deadline, readSnapshot } from '../../apps/api/src/query/execution/snapshot';
import { RequestCounts, type AskedCount } from '../../apps/api/src/query/session-columns/request-counts';
import { SessionCounter } from '../../apps/api/src/query/execution/session-counter';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import type { QueryAbout, QueryContext, QueryType } from '../../apps/api/src/query/query-type';

/** One request, without HTTP and callers. */
export interface TypeRequest {
  readonly about: QueryAbout;
  readonly id: string;
  readonly isPaused?: boolean;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly timezone: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly granularity: Granularity;
  readonly filters: readonly Filter[];
  readonly page?: number;
  readonly limit?: number;
  readonly minSamples?: number;
  readonly sort?: Order;
  /** Epoch ms. */
  readonly now: number;
}

/** Answers a type by the executor the planner picks, or by a given one. */
export type Ask = (type: QueryType, executor?: Executor) => Promise<readonly Row[]>;

export async function asking(on: Queryable, wish: TypeRequest): Promise<Ask> {
  const find = await finding(on, wish);
  return async (type, executor) => (await find(type, executor)).rows;
}

/** The rows of the page, and how many rows a list has in all. */
export type Find = (type: QueryType, executor?: Executor) => Promise<Found>;

/** `main` has the log of what `on` has the read models of; by default they are one database. */
export async function finding(on: Queryable, wish: TypeRequest, main: Queryable = on): Promise<Find> {
  const { about, id, ownZone, now, page = 1, limit = 10_000, timezone, startDate, endDate, granularity } = wish;
  const subject = { about, id, isPaused: wish.isPaused ?? false, zone: ownZone };
  const snapshot = await readSnapshot({ client: on, main, partition: await partitionFor(id, main) }, subject, now);
  const filters = await lookUpFilters(on, { subject, filters: wish.filters }, snapshot);
  const contextFor = (type: QueryType) => {
    const isLimited = wish.limit !== undefined;
    const parameter = { type, startDate, endDate, granularity, limit, isLimited, minSamples: wish.minSamples };
    return contextOf(parameter, { subject, zone: timezone, page, sort: wish.sort ?? null }, filters, snapshot);
  };
  const counted = CATALOGUE.filter((type) => about === 'website' && type.about === about);
  const together = counted.flatMap((type) => countsOf(type, contextFor(type))); // as if all types were asked at once
  const counts = new RequestCounts({ ...counting(), client: on }, together);
  return async (type, executor) => {
    const context = contextFor(type);
    const found = await findRows(on, type, context, { main, executor, counts });
    return { ...found, rows: await pageOfRows(type, context, found.rows) };
  };
}

/** By whatever may execute it. */
const countsOf = (type: QueryType, context: QueryContext): readonly AskedCount[] => {
  const executors = new Set<Executor>([plan(type, context).executor]);
  if (type.sessionColumns) executors.add('sessionColumns');
  return [...executors].flatMap((executor) => countFor(type, context, executor) ?? []);
};

const partitionFor = async (id: string, main: Queryable) => partitionOf(id, (await readPartitions(main)) ?? 1);

/** A type compared with an earlier range, as the API does. */
export async function findCompared(
  pool: Pool,
  type: QueryType,
  wish: TypeRequest,
  comparison: Comparison,
): Promise<Answer> {
  const { about, id, ownZone, now, page = 1, limit = 10_000, timezone: zone, startDate, endDate, granularity } = wish;
  const subject = { about, id, zone: ownZone };
  return readTransaction(pool, 'begin isolation level repeatable read', async (client) => {
    const partition = await partitionFor(id, pool);
    const snapshot = await readSnapshot({ client, main: pool, partition }, subject, now);
    const filters = await lookUpFilters(client, { subject, filters: wish.filters }, snapshot);
    const isLimited = wish.limit !== undefined;
    const earlier = earlierRange({ startDate, endDate, zone, now, preset: 'today' }, comparison);
    const { minSamples } = wish;
    const parameter = { type, startDate, endDate, granularity, limit, isLimited, minSamples, earlier };
    const request = { subject, zone, page, sort: wish.sort ?? null };
    const contexts = contextsOf(parameter, request, filters, snapshot);
    const origin = { ...counting(), client, main: pool };
    const counts = new RequestCounts(origin, countedTypes(type, contexts));
    return answerParameter(type, contexts, { ...origin, counts });
  });
}

/** Of the specs of a process, which have one cache and its threads. */
const counter = new SessionCounter({ queryCacheMb: 16 }, new Metrics());

export const counting = () => ({ counter, deadline: new Deadline(), signal: new AbortController().signal });

/** One type, once. */
export const askType = async (
  on: Queryable,
  type: QueryType,
  wish: TypeRequest,
  executor?: Executor,
): Promise<readonly Row[]> => (await asking(on, wish))(type, executor);
