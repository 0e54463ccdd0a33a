import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { LEAST_VIEWS } from '../counting/busy-pages';
import type { QueryContext } from '../query-type';
import { addedUp, distinctCounts, topNWithTies, TOTAL_ROWS } from './rollups';

/** Busy pages from the rollup, only those that may be on the page of an answer in the order of their page views. */
export const busyPagesByDays = (context: QueryContext): Sql => sql`
  with top as (
    select value, pageviews as page_views, ${TOTAL_ROWS} from (${addedUp(context, topPages, 'pageviews')}) views
    where pageviews >= ${LEAST_VIEWS}${topNWithTies(['pageviews'], context)}
  )
  select value, page_views, coalesce(visitors, 0) as visitors, total_rows
  from top left join (${distinctCounts(context, topPages, {
    columns: ['visitors'],
    also: sql` and value = any(array(select value from top))`,
  })}) counted using (value)`;
