import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Question } from '../question';
import type { Grouping } from './facts';

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = ({ buckets, from }: Question): { from: number; to: number } => ({
  from,
  to: buckets.at(-1)?.to ?? from,
});

/** The number (from 1) of the bucket an instant of the span lies in. */
export const bucketOf = ({ buckets }: Question, at: Sql): Sql =>
  sql`width_bucket(${at}, ${buckets.map((bucket) => new Date(bucket.from))}::timestamptz[])`;

/** The number (from 1) of the bucket of a day. */
export const bucketOfDay = ({ buckets }: Question, day: Sql): Sql =>
  sql`width_bucket(${day}, ${buckets.map((bucket) => bucket.label)}::date[])`;

/** The last day that has a bucket. */
export const lastDayOf = ({ buckets, startDate }: Question): string => buckets.at(-1)?.label.slice(0, 10) ?? startDate;

/** Page views by bucket: a session within one bucket needs no look at its hits. */
export const byBucket = (question: Question): Grouping => ({
  ofHit: bucketOf(question, sql`h.at`),
  ofSession: bucketOf(question, sql`s.first_at`),
  undivided: sql`${bucketOf(question, sql`s.first_at`)} = ${bucketOf(question, sql`s.last_at`)}`,
});
