import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Question } from '../question';

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = ({ buckets, from }: Question): { from: number; to: number } => ({
  from,
  to: buckets.at(-1)?.to ?? from,
});

/** Where the buckets begin, and the last of them ends. */
export const boundsOf = (question: Question): Sql => {
  const bounds = [...question.buckets.map(({ from }) => from), spanOf(question).to];
  return sql`(${bounds.map((bound) => new Date(bound))}::timestamptz[])`;
};

/** The number (from 1) of the bucket an instant lies in; before the span and after it are buckets of their own. */
export const bucketOf = (question: Question, at: Sql): Sql => sql`width_bucket(${at}, ${boundsOf(question)})`;

/** The number (from 1) of the bucket of a day. */
export const bucketOfDay = ({ buckets }: Question, day: Sql): Sql =>
  sql`width_bucket(${day}, ${buckets.map((bucket) => bucket.label)}::date[])`;

/** The last day that has a bucket. */
export const lastDayOf = ({ buckets, startDate }: Question): string => buckets.at(-1)?.label.slice(0, 10) ?? startDate;
