import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { averageOf, count, numberIn, orNull, percent, ratio } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { pageVisitsIn } from '../../sql/page-visits';

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
  sources: { facts: fromFacts },
  row: (found) => ({
    avg_interactions: averageOf(numberIn(found, 'interactions'), numberIn(found, 'total_sessions')),
    interaction_rate: percentage(numberIn(found, 'interactive_sessions'), numberIn(found, 'total_sessions')),
  }),
});

function fromFacts(context: QueryContext): Sql {
  return sql`
select coalesce(sum(greatest(v.interactions, 0)), 0)::float8 as interactions,
  count(distinct (v.visitor, v.session))::float8 as total_sessions,
  (count(distinct (v.visitor, v.session)) filter (where v.interactions > 0))::float8 as interactive_sessions
from ${pageVisitsIn(context, context)} and v.session is not null`;
}
