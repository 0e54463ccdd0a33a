import { customEvents, customEventsDaily } from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { object, orNull, text, textIn, timestamp } from '../../fields';
import { singles } from '../../counting/singles';
import { queryType, type QueryContext } from '../../query-type';
import { hasDays, sumsByDays } from '../../sql/rollups';
import { eventsIn, pageOf } from '../../sql/event-facts';
import { withoutDashes } from './session-events';

export const customEventsRecent = queryType({
  name: 'custom_events_recent',
  about: 'website',
  shape: 'list',
  category: 'Events',
  description: 'Single custom events with their properties, newest first',
  fields: {
    event_name: text,
    namespace: orNull(text),
    path: orNull(text),
    properties: object,
    visitor_id: orNull(text),
    session_id: orNull(text),
    timestamp,
  },
  isComparable: false,
  sortedBySql: ['timestamp'],
  countRows,
  sources: { facts: fromFacts },
  sessionColumns: singles('custom_events'),
  row: (found) => ({
    visitor_id: withoutDashes(textIn(found, 'visitor')) || null,
    session_id: withoutDashes(textIn(found, 'session')) || null,
  }),
});

function countRows(context: QueryContext): Sql {
  if (!hasDays(context)) {
    return sql`select count(*)::float8 as total_rows from ${eventsIn(context, customEvents)}`;
  }
  const sums = sumsByDays(context, customEventsDaily, { columns: ['total_events'], by: ['website'] });
  return sql`select sum(total_events) as total_rows from (${sums}) sums`;
}

function fromFacts(context: QueryContext): Sql {
  const order = context.sort?.direction === 'asc' ? sql`e.at, e.id` : sql`e.at desc, e.id desc`;
  return sql`
with page as (
  select e.* from ${eventsIn(context, customEvents)}
  order by ${order} ${pageOf(context)}
)
select named.text as event_name, e.namespace, path.text as path, e.properties, e.visitor, e.session, e.at as timestamp
from page e
left join dictionary named on named.id = e.name
left join dictionary path on path.id = e.path
order by ${order}`;
}
