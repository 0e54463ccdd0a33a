import { linkClicks } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { runsOf } from '@ledgerline/domain/time/fifteen-minutes';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { instant, type Span } from './series';

interface SomeRows {
  readonly columns: Sql;
  /** The column of the id of what is asked about. */
  readonly of?: Sql;
  /** What else must hold of a row. */
  readonly also?: Sql;
}

/**
 * Rows `t` of a model of a link or monitor, from the largest blocks that make up each stretch of time, with the number `b.bucket` of
 * its bucket. TRICKY: the offset keeps Postgres from joining in another way than by looking each run up in the index.
 */
export function inBlocks(
  { table, link }: QueryContext,
  model: ReadModel,
  stretches: readonly (Span & { readonly bucket?: number })[],
  { columns, of = sql`link_id`, also = emptySql }: SomeRows,
): Sql {
  const runs = stretches.flatMap(({ from, to, bucket = 1 }) => runsOf(from, to).map((each) => ({ ...each, bucket })));
  const [buckets, spans] = [runs.map(({ bucket }) => bucket), runs.map(({ span }) => span)];
  const [since, until] = [runs.map(({ from }) => new Date(from)), runs.map(({ to }) => new Date(to))];
  return sql`unnest(
    ${buckets}::int[], ${spans}::smallint[], ${since}::timestamptz[], ${until}::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select ${columns} from ${table(model)}
    where ${of} = ${link} and span = b.span and start_15min >= b.since and start_15min < b.until${also} offset 0
  ) t`;
}

/** The clicks of a link in a span that pass the filters; `where` goes on. */
export function clicksIn({ table, link, filters }: QueryContext, { from, to }: Span): Sql {
  const conditions = filters.map(({ field, values, negated }) =>
    negated
      ? sql` and ${identifier(field)} <> all(${values}::text[])`
      : sql` and ${identifier(field)} = any(${values}::text[])`,
  );
  return sql`${table(linkClicks)}
  where link_id = ${link} and at >= ${instant(from)} and at < ${instant(to)}${joinSql(conditions, '')}`;
}
