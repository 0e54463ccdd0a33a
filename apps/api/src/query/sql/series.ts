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

/** A stretch of a bucket, with the number (from 1) of the bucket. */
interface BucketStretch extends Span {
  readonly bucket: number;
}

/**
 * What the buckets consist of up to the end of the range, in the order of time and without gaps: a bucket each, unless
 * clocks repeat a part of an hour.
 */
export const stretchesOf = ({ buckets, to: end }: QueryContext): BucketStretch[] =>
  buckets
    .flatMap(({ stretches }, at) => stretches.map(({ from, to }) => ({ from, to: Math.min(to, end), bucket: at + 1 })))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = (context: QueryContext): Span => ({
  from: context.from,
  to: stretchesOf(context).at(-1)?.to ?? context.from,
});

/** Where the stretches begin, and the last of them ends; epoch ms. */
export const boundsOf = (context: QueryContext): number[] => [
  ...stretchesOf(context).map(({ from }) => from),
  spanOf(context).to,
];

/** The same as an array in SQL. */
export const boundsArray = (context: QueryContext): Sql =>
  sql`(${boundsOf(context).map((bound) => new Date(bound))}::timestamptz[])`;

/** The number (from 1) of the stretch an instant lies in; before the span and after it are numbers of their own. */
export const stretchOf = (context: QueryContext, at: Sql): Sql => sql`width_bucket(${at}, ${boundsArray(context)})`;

/** The number (from 1) of the bucket of a stretch; null before the span and after it. */
export const bucketOfStretch = (context: QueryContext, stretch: Sql): Sql =>
  sql`(${stretchesOf(context).map(({ bucket }) => bucket)}::int[])[${stretch}]`;

/** The number (from 1) of the bucket an instant lies in; null before the span and after it. */
export const bucketOf = (context: QueryContext, at: Sql): Sql => bucketOfStretch(context, stretchOf(context, at));

/** The number (from 1) of the bucket of a day. */
export const bucketOfDay = ({ buckets }: QueryContext, day: Sql): Sql =>
  sql`width_bucket(${day}, ${buckets.map((bucket) => bucket.label)}::date[])`;

/** The last day that has a bucket. */
export const lastDayOf = ({ buckets, startDate }: QueryContext): string =>
  buckets.at(-1)?.label.slice(0, 10) ?? startDate;
