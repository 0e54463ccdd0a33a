import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { ENGAGED, engagedSessions, pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { averageOf, count, numberIn, orNull, percent, ratio } from '../../fields';
import { counted, rowsOf } from '../../counting/counted';
import { known, of, positive, SESSIONS, sum } from '../../counting/measures';
import { queryType, type QueryContext } from '../../query-type';
import { distinctCounts, sumsByDays } from '../../sql/rollups';

export const interactionSummary = queryType({
  name: 'interaction_summary',
  about: 'website',
  shape: 'totals',
  category: 'Engagement',
  description: 'Interactions of the sessions that report an engagement span or a leave',
  fields: {
    avg_interactions: orNull(ratio),
    interactive_sessions: count,
    interaction_rate: percent,
    total_sessions: count,
  },
  sources: { days: fromDays },
  sessionColumns: rowsOf(
    counted({
      of: 'visits',
      measures: {
        interactions: of(known('interactions'), sum('interactions')),
        total_sessions: SESSIONS,
        interactive_sessions: of(positive('interactions'), SESSIONS),
      },
    }),
  ),
  row: (found) => ({
    avg_interactions: averageOf(numberIn(found, 'interactions'), numberIn(found, 'total_sessions')),
    interaction_rate: percentage(numberIn(found, 'interactive_sessions'), numberIn(found, 'total_sessions')),
  }),
});

function fromDays(context: QueryContext): Sql {
  const { reported, interactive } = ENGAGED;
  const also = sql` and value in (${reported}, ${interactive})`;
  const every = { columns: ['interactions'], by: ['value'], also: sql` and value = ${EVERY_VALUE}` };
  return sql`
with counted as (${distinctCounts(context, engagedSessions, { also })}
)
select interactions, (select distinct_count from counted where value = ${reported})::float8 as total_sessions,
  (select distinct_count from counted where value = ${interactive})::float8 as interactive_sessions
from (${sumsByDays(context, pageVisits, every)}) every`;
}
