import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { SessionColumns } from './session-columns';
import type { QueryContext } from '../query-type';
import { LEAST_VIEWS } from '../sql/busy-pages';
import { viewsByPathOf } from './lists';
import { firstOf } from './ranked-rows';
import { numbersSql } from './numbers-sql';

/** What `busyPages` of the SQL fragments selects: those that may be on the page of an answer in the order of page views. */
export function busyPagesOf(sessions: SessionColumns, context: QueryContext): Sql {
  const busy = viewsByPathOf(sessions)
    .filter(({ pageviews }) => pageviews >= LEAST_VIEWS)
    .map(({ value, pageviews, visitors }) => ({ value, page_views: pageviews, visitors }));
  const rows = firstOf(busy, ['page_views'], context).map((row) => ({ ...row, total_rows: busy.length }));
  return sql`select * from ${numbersSql(rows, ['value', 'page_views', 'visitors', 'total_rows'], 'busy')}`;
}
