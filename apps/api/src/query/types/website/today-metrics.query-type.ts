import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { dayOf } from '@ledgerline/domain/time/zones';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { singleGroup } from '../../sql/ranked';
import { countedSessionsIn } from '../../sql/sessions';
import { pageViews, viewsByGroup } from '../../sql/views';

export const todayMetrics = queryType({
  name: 'today_metrics',
  about: 'website',
  shape: 'totals',
  category: 'Summary',
  description: 'Page views, visitors and sessions of today, whatever dates are asked for',
  publicAccess: true,
  isAboutNow: true,
  fields: { pageviews: count, visitors: count, sessions: count },
  sources: { days: fromDays, facts: fromFacts },
});

function fromDays({ table, website, now, zone }: QueryContext): Sql {
  return sql`
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from ${table(websiteDaily)} where website = ${website} and day = ${dayOf(now, zone)}::date`;
}

function fromFacts(context: QueryContext): Sql {
  const today = dayOf(context.now, context.zone);
  const span = instantsOf({ startDate: today, endDate: today }, context.zone);
  return sql`
with views as (${viewsByGroup(pageViews(context, span, singleGroup))}
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from ${countedSessionsIn(context, span)})::float8 as sessions`;
}
