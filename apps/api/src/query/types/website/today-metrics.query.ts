import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { dayOf } from '@ledgerline/domain/time/zones';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn } from '../../found';
import { websiteTotals } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn } from '../../sql/facts';
import { EVERYTHING } from '../../sql/ranked';
import { pageViews, viewsByGroup } from '../../sql/views';
import { WEBSITE_FILTERS } from './filters';

export const todayMetrics = websiteTotals({
  name: 'today_metrics',
  category: 'Summary',
  meaning: 'Page views, visitors and sessions of today, whatever dates are asked for',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
  fields: { pageviews: count, visitors: count, sessions: count },
  answers: { days: fromDays, facts: fromFacts },
  row: (found) => ({
    pageviews: numberIn(found, 'pageviews'),
    visitors: numberIn(found, 'visitors'),
    sessions: numberIn(found, 'sessions'),
  }),
});

function fromDays({ table, website, now, zone }: WebsiteQuestion): Sql {
  return sql`
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from ${table(websiteDaily)} where website = ${website} and day = ${dayOf(now, zone)}::date`;
}

function fromFacts(question: WebsiteQuestion): Sql {
  const today = dayOf(question.now, question.zone);
  const { from, to } = instantsOf({ startDate: today, endDate: today }, question.zone);
  return sql`
with views as (${viewsByGroup(pageViews(question, from, to, EVERYTHING))}
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from ${countedSessionsIn(question, from, to)})::float8 as sessions`;
}
