import { linkClicks } from '@ledgerline/contracts/read-models/links';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { LinkQuestion } from '../question';
import { instant } from '../sql/facts';

/** The clicks of a link in a span that pass the filters; `where` goes on. */
export function clicksIn({ table, link, filters }: LinkQuestion, from: number, to: number): Sql {
  const conditions = filters.map(({ field, texts, negated }) =>
    negated
      ? sql` and ${identifier(field)} <> all(${texts}::text[])`
      : sql` and ${identifier(field)} = any(${texts}::text[])`,
  );
  return sql`${table(linkClicks)}
  where link_id = ${link} and at >= ${instant(from)} and at < ${instant(to)}${joinSql(conditions, '')}`;
}

/** The rows of a quarterly read model of a link in a span; `where` goes on. */
export const quartersIn = ({ link }: LinkQuestion, table: Sql, from: number, to: number): Sql => sql`${table}
  where link_id = ${link} and quarter >= ${instant(from)} and quarter < ${instant(to)}`;
