import type { Granularity } from '@ledgerline/domain/query/buckets';
import type { Filter } from '@ledgerline/domain/query/filters';
import type { Order, Row } from '@ledgerline/domain/query/rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { answer } from '../../apps/api/src/query/execution/answer';
import { inquiryAbout, questionFor } from '../../apps/api/src/query/execution/inquiry';
import type { Source } from '../../apps/api/src/query/execution/planner';
import type { QueryType } from '../../apps/api/src/query/query-type';
import { snapshotFor } from '../../apps/api/src/query/execution/snapshot';

/** One request, without HTTP and callers. */
export interface Wish {
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

export async function asking(on: Queryable, wish: Wish): Promise<Ask> {
  const { about, id, ownZone: zone, now, page = 1, limit = 10_000, timezone, startDate, endDate, granularity } = wish;
  const subject = { about, id, zone, visitorIdentity: 'stable', publicOnly: false };
  const snapshot = await snapshotFor(on, subject, now, {});
  const inquiry = await inquiryAbout(on, subject, snapshot, wish);
  const days = { startDate, endDate };
  return (type, source) => {
    const parameter = { ...days, type, id: undefined, granularity, limit, limited: wish.limit !== undefined };
    const request = { ...days, timezone, page, sortBy: wish.sort?.field, sortOrder: wish.sort?.direction };
    const question = questionFor(inquiry, parameter, request, { table: snapshot.table, now });
    return answer(on, type, question, { limited: parameter.limited, ...(source ? { source } : {}) });
  };
}

/** One type, once. */
export const askType = async (on: Queryable, type: QueryType, wish: Wish, source?: Source): Promise<Row[]> =>
  (await asking(on, wish))(type, source);
