import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { wantsEveryRow, type QueryContext } from '../query-type';
import { distinctCounts, sumsByDays, TOTAL_ROWS } from './rollups';

interface PageCounts {
  /** How many visits of a page have what is asked about. */
  readonly visits: 'timed' | 'scrolled';
  /** Further sums of these visits. */
  readonly sums: readonly string[];
  /** Distinct counts, of which none is greater than the number of visits; the pages are ordered by the first one. */
  readonly counts: readonly [string, ...string[]];
}

const OF_PAGES = sql` and value > ${EVERY_VALUE}`;

/**
 * CTEs of the pages that may be on the page of an answer: `pages` (value, visits, sums, total_rows) and `counted` (value,
 * counts). Distinct counts are only added up for a few pages: those with the most visits say how great the first count
 * must be at least, and a page with fewer visits than that cannot have it.
 */
export function pageCounts(context: QueryContext, { visits, sums, counts }: PageCounts): Sql {
  const visited = identifier(visits);
  const columns = { columns: [visits, ...sums], by: ['value'], also: OF_PAGES };
  const { page } = context;
  const countsOf = (pages: Sql) => distinctCounts(context, pageVisits, { columns: counts, also: among(pages) });
  const every = sql`pages as (
  select * from known
), counted as (${countsOf(sql`pages`)}
)`;
  const likely = sql`likely as (
  select value from known order by ${visited} desc limit ${page.page * page.limit}
), likely_counted as (${countsOf(sql`likely`)}
), pages as (
  select * from known where ${visited} >= (
    select coalesce(min(coalesce(${identifier(counts[0])}, 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (${countsOf(sql`others`)})
)`;
  return sql`known as (
  select *, ${TOTAL_ROWS} from (${sumsByDays(context, pageVisits, columns)}) s where ${visited} > 0
), ${wantsEveryRow(context) ? every : likely}`;
}

/** Of these pages only. */
export const among = (pages: Sql): Sql => sql` and value = any(array(select value from ${pages}))`;

/** What columns of distinct counts add up to over all pages, as one row. */
export const overEveryPage = (context: QueryContext, columns: readonly string[]): Sql => sql`
  select ${joinSql(
    columns.map((name) => identifier(name)),
    ', ',
  )} from (${distinctCounts(context, pageVisits, { columns, also: sql` and value = ${EVERY_VALUE}` })}) every`;
