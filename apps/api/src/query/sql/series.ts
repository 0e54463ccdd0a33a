import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';

/** A stretch of time (epoch ms), end excluded; a context is the span of its whole range. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** All of time that events can have. */
export const ALWAYS: Span = { from: 0, to: Date.UTC(9999, 0) };

export const instant = (at: number): Sql => sql`${new Date(at)}::timestamptz`;

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = ({ buckets, from }: QueryContext): Span => ({ from, to: buckets.at(-1)?.to ?? from });

/** Where the buckets begin, and the last of them ends; epoch ms. */
export const boundsOf = (context: QueryContext): number[] => [
  ...context.buckets.map(({ from }) => from),
  spanOf(context).to,
];

/** The same as an array in SQL. */
export const boundsArray = (context: QueryContext): Sql =>
  sql`(${boundsOf(context).map((bound) => new Date(bound))}::timestamptz[])`;

/** The number (from 1) of the bucket an instant lies in; before the span and after it are buckets of their own. */
export const bucketOf = (context: QueryContext, at: Sql): Sql => sql`width_bucket(${at}, ${boundsArray(context)})`;

/** The number (from 1) of the bucket of a day. */
export const bucketOfDay = ({ buckets }: QueryContext, day: Sql): Sql =>
  sql`width_bucket(${day}, ${buckets.map((bucket) => bucket.label)}::date[])`;

/** The last day that has a bucket. */
export const lastDayOf = ({ buckets, startDate }: QueryContext): string =>
  buckets.at(-1)?.label.slice(0, 10) ?? startDate;
