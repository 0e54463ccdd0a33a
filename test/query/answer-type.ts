import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { Filter } from '@ledgerline/domain/query/filters';
import type { Order, Row } from '@ledgerline/domain/query/rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { answer, contextOf } from '../../apps/api/src/query/execution/answer';
import { lookUpFilters } from '../../apps/api/src/query/execution/filters';
import { readSnapshot } from '../../apps/api/src/query/execution/snapshot';
import type { QueryType, Source } from '../../apps/api/src/query/query-type';

/** One request, without HTTP and callers. */
export interface TypeRequest {
  readonly about: 'website' | 'link';
  readonly id: string;
  /** The zone of the website's own days. */
  readonly ownZone: string;
  readonly timezone: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly granularity: Granularity;
  readonly filters: readonly Filter[];
  readonly page?: number;
  readonly limit?: number;
  readonly sort?: Order;
  /** Epoch ms. */
  readonly now: number;
}

/** Answers a type from the source the planner picks, or from a given one. */
export type Ask = (type: QueryType, source?: Source) => Promise<Row[]>;

export async function asking(on: Queryable, wish: TypeRequest): Promise<Ask> {
  const { about, id, ownZone, now, page = 1, limit = 10_000, timezone, startDate, endDate, granularity } = wish;
  const subject = { about, id, zone: ownZone };
  const snapshot = await readSnapshot(on, subject, now, {});
  const filters = await lookUpFilters(on, { subject, filters: wish.filters }, snapshot);
  return (type, source) => {
    const parameter = { type, startDate, endDate, granularity, limit, isLimited: wish.limit !== undefined };
    const request = { subject, zone: timezone, page, sort: wish.sort ?? null };
    return answer(on, type, contextOf(parameter, request, filters, snapshot), source);
  };
}

/** One type, once. */
export const askType = async (on: Queryable, type: QueryType, wish: TypeRequest, source?: Source): Promise<Row[]> =>
  (await asking(on, wish))(type, source);
