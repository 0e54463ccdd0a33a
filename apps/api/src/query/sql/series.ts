import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NEVER, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { boundsOf, stretchesOf } from '@ledgerline/domain/query/series-stretches';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
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

/** The number (from 1) of the bucket of a day. */
export const bucketOfDay = ({ buckets }: QueryContext, day: Sql): Sql =>
  sql`width_bucket(${day}, ${buckets.map((bucket) => bucket.label)}::date[])`;

/** The last day that has a bucket. */
export const lastDayOf = ({ buckets, startDate }: QueryContext): string =>
  buckets.at(-1)?.label.slice(0, 10) ?? startDate;

interface DailyFigures {
  readonly figures: Readonly<Record<string, Sql>>;
  /** A rollup of distinct visitors, whose number is added under this name. */
  readonly users: readonly [name: string, ReadModel];
  readonly also?: Sql;
}

/** Figures of each day by its bucket, from the days of a rollup. */
export const seriesByDays =
  (model: ReadModel, daily: DailyFigures) =>
  (context: QueryContext): Sql => {
    const {
      figures,
      users: [users, usersModel],
      also = emptySql,
    } = daily;
    const days = sql`website = ${context.website} and span = 1
    and day between ${context.startDate}::date and ${lastDayOf(context)}::date`;
    const each = Object.entries(figures);
    const columns = each.map(([name]) => sql`${identifier(name)}::float8 as ${identifier(name)}, `);
    const found = each.map(([name, figure]) => sql`, ${figure} as ${identifier(name)}`);
    return sql`
select ${bucketOfDay(context, sql`day`)} as bucket, ${joinSql(columns, '')}
  coalesce(users.distinct_count, 0)::float8 as ${identifier(users)}
from (
  select day${joinSql(found, '')} from ${context.table(model)} where ${days}${also} group by day
) figures
left join (
  select day, distinct_count from ${context.table(usersModel)}
  where ${days} and value = ${EVERY_VALUE} and previous_day = ${NEVER}::date
) users using (day)`;
  };
