import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { instant, type Span } from './series';

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
