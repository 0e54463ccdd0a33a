import { boundsOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
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

/** The number (from 1) of the bucket an instant lies in; null before the span and after it. */
export function bucketOf(context: QueryContext, at: Sql): Sql {
  const bounds = boundsOf(context).map((bound) => new Date(bound));
  const stretch = sql`width_bucket(${at}, (${bounds}::timestamptz[]))`;
  return sql`(${stretchesOf(context).map(({ bucket }) => bucket)}::int[])[${stretch}]`;
}
