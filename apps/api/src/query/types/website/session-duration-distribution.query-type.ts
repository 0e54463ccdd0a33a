import { sessionDurationRanges } from '@ledgerline/contracts/read-models/website-dimensions';
import { RANGE_NAMES, RANGE_STARTS, rangeName } from '@ledgerline/domain/sessions/duration-ranges';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, oneOf } from '../../fields';
import { sessionsByDuration } from '../../session-columns/lists';
import { queryType, type QueryContext } from '../../query-type';
import { addedUp, distinctCounts } from '../../sql/blocks';
import { countedSessionsIn } from '../../sql/sessions';

export const sessionDurationDistribution = queryType({
  name: 'session_duration_distribution',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  description: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  fields: { duration_range: oneOf(RANGE_NAMES), sessions: count, visitors: count },
  sources: { days: fromDays, facts: fromFacts },
  aggregateInMemory: sessionsByDuration,
  row: (found) => ({ duration_range: rangeName(numberIn(found, 'place')) }),
});

function fromDays(context: QueryContext): Sql {
  return sql`
select value::float8 as place, sessions, visitors
from (${addedUp(context, sessionDurationRanges, 'sessions')}
) added
join (${distinctCounts(context, sessionDurationRanges, { columns: ['visitors'] })}
) counted using (value)
order by value`;
}

function fromFacts(context: QueryContext): Sql {
  return sql`
select width_bucket(s.duration_ms, ${RANGE_STARTS}::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from ${countedSessionsIn(context)}
group by 1 order by 1`;
}
