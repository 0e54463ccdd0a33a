import { sessionDurationRanges } from '@ledgerline/contracts/read-models/website-dimensions';
import { durationRange, RANGE_NAMES, rangeName } from '@ledgerline/domain/sessions/duration-ranges';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, oneOf } from '../../fields';
import { counted } from '../../counting/counted';
import { rangesOf } from '../../counting/keys';
import { COUNT, VISITORS } from '../../counting/measures';
import { ascending } from '../../counting/ranked';
import { COUNTED_SESSIONS } from '../../counting/session-items';
import { queryType, type QueryContext } from '../../query-type';
import { addedUp, distinctCounts } from '../../sql/rollups';

export const sessionDurationDistribution = queryType({
  name: 'session_duration_distribution',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  description: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  fields: { duration_range: oneOf(RANGE_NAMES), sessions: count, visitors: count },
  sources: { days: fromDays },
  sessionColumns: ascending(
    counted({
      of: COUNTED_SESSIONS,
      by: { place: rangesOf('duration_ms', durationRange) },
      measures: { sessions: COUNT, visitors: VISITORS },
    }),
    'place',
  ),
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
