import { sessionDurationRanges } from '@ledgerline/contracts/read-models/website-dimensions';
import { RANGE_STARTS, rangeName } from '@ledgerline/domain/sessions/duration-ranges';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { numberIn } from '../../found';
import { websiteList } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { addedUp } from '../../sql/blocks';
import { distinctByDays } from '../../sql/distinct';
import { countedSessionsIn } from '../../sql/facts';
import { WEBSITE_FILTERS } from './filters';

export const sessionDurationDistribution = websiteList({
  name: 'session_duration_distribution',
  category: 'Sessions',
  meaning: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  publicAccess: false,
  allowedFilters: WEBSITE_FILTERS,
  fields: { duration_range: text, sessions: count, visitors: count },
  order: [],
  answers: { days: fromDays, facts: fromFacts },
  row: (found) => ({
    duration_range: rangeName(numberIn(found, 'place')),
    sessions: numberIn(found, 'sessions'),
    visitors: numberIn(found, 'visitors'),
  }),
});

function fromDays(question: WebsiteQuestion): Sql {
  return sql`
select value::float8 as place, sessions, visitors
from (${addedUp(question, sessionDurationRanges, 'sessions')}
) added
join (${distinctByDays(question, sessionDurationRanges, { column: 'visitors' })}
) counted using (value)
order by value`;
}

function fromFacts(question: WebsiteQuestion): Sql {
  return sql`
select width_bucket(s.duration_ms, ${RANGE_STARTS}::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from ${countedSessionsIn(question, question.from, question.to)}
group by 1 order by 1`;
}
