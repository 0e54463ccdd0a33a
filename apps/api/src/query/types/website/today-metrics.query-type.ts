import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { dayOf } from '@ledgerline/domain/time/zones';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { counted, rowsOf, together } from '../../counting/counted';
import { COUNT, VISITORS } from '../../counting/measures';
import { COUNTED_SESSIONS } from '../../counting/session-items';
import { queryType, type QueryContext } from '../../query-type';

export const todayMetrics = queryType({
  name: 'today_metrics',
  about: 'website',
  shape: 'totals',
  category: 'Summary',
  description: 'Page views, visitors and sessions of today, whatever dates are asked for',
  publicAccess: true,
  isAboutNow: true,
  daysOf: (now, zone) => ({ startDate: dayOf(now, zone), endDate: dayOf(now, zone) }),
  fields: { pageviews: count, visitors: count, sessions: count },
  sources: { days: fromDays },
  sessionColumns: rowsOf(
    together(
      [],
      counted({ of: 'views', measures: { pageviews: COUNT, visitors: VISITORS } }),
      counted({ of: COUNTED_SESSIONS, measures: { sessions: COUNT } }),
    ),
  ),
});

function fromDays({ table, website, startDate }: QueryContext): Sql {
  return sql`
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from ${table(websiteDaily)} where website = ${website} and day = ${startDate}::date`;
}
