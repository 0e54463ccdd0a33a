import { alternativesOf, type ValueFilter } from '@ledgerline/aggregation/aggregation';
import { linkClicks } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { boundsOf, stretchesOf } from '@ledgerline/domain/query/buckets';
import { runsOf } from '@ledgerline/domain/time/fifteen-minutes';
import { instant, emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../declaration/query-context';

/** A stretch of time (epoch ms), end excluded; a context is the span of its whole range. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** All of time that events can have. */
export const ALWAYS: TimeRange = { from: 0, to: Date.UTC(9999, 0) };

/** The number (from 1) of the bucket an instant lies in; null before the span and after it. */
export function bucketNumberSql(context: QueryContext, at: Sql): Sql {
  const bounds = boundsOf(context).map((bound) => new Date(bound));
  const stretch = sql`width_bucket(${at}, (${bounds}::timestamptz[]))`;
  return sql`(${stretchesOf(context).map(({ bucket }) => bucket)}::int[])[${stretch}]`;
}

interface SomeRows {
  readonly columns: Sql;
  /** The column of the id of what is asked about. */
  readonly of?: Sql;
  /** The condition that a row has to meet besides. */
  readonly also?: Sql;
}

/**
 * Rows `t` of a model of links or a monitor, from the largest blocks that make up each stretch of time, with the number `b.bucket` of
 * its bucket. TRICKY: the offset keeps Postgres from joining in another way than by looking each run up in the index.
 */
export function inBlocks(
  { table, ids }: QueryContext,
  model: ReadModel,
  stretches: readonly (TimeRange & { readonly bucket?: number })[],
  { columns, of = sql`link_id`, also = emptySql }: SomeRows,
): Sql {
  const runs = stretches.flatMap(({ from, to, bucket = 1 }) => runsOf(from, to).map((each) => ({ ...each, bucket })));
  const buckets = runs.map(({ bucket }) => bucket);
  const spans = runs.map(({ span }) => span);
  const since = runs.map(({ from }) => new Date(from));
  const until = runs.map(({ to }) => new Date(to));
  return sql`unnest(
    ${buckets}::int[], ${spans}::smallint[], ${since}::timestamptz[], ${until}::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select ${columns} from ${table(model)}
    where ${isAmong(of, ids)} and span = b.span and start_15min >= b.since and start_15min < b.until${also} offset 0
  ) t`;
}

/** Returns whether a column has one of these ids. */
export const isAmong = (column: Sql, ids: readonly string[]): Sql =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = any(${ids}::text[])`;

/** The clicks of links in a span that pass the filters; `where` goes on. */
export function clicksIn({ table, ids, filters }: QueryContext, { from, to }: TimeRange): Sql {
  const matches = ({ field, values, negated }: ValueFilter) =>
    negated ? sql`${identifier(field)} <> all(${values}::text[])` : sql`${identifier(field)} = any(${values}::text[])`;
  const conditions = filters.map((filter) => {
    const alternatives = alternativesOf(filter).map(matches);
    return alternatives.length === 1
      ? sql` and ${joinSql(alternatives)}`
      : sql` and (${joinSql(alternatives, ' or ')})`;
  });
  return sql`${table(linkClicks)}
  where ${isAmong(sql`link_id`, ids)} and at >= ${instant(from)} and at < ${instant(to)}${joinSql(conditions, '')}`;
}
