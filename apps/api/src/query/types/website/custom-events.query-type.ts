import {
  customEventsDaily,
  customEventSessions,
  customEventUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, timestamp } from '../../fields';
import { counted } from '../../counting/counted';
import { COUNT, greatest, least, SESSIONS, sum, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';

const COUNTS = ['total_events', 'unique_users', 'unique_sessions', 'events_with_properties'];

const byName = counted({
  of: 'custom_events',
  by: { value: 'name' },
  measures: {
    total_events: COUNT,
    unique_users: VISITORS,
    unique_sessions: SESSIONS,
    first_occurrence: least('at'),
    last_occurrence: greatest('at'),
    events_with_properties: sum('has_properties'),
  },
});

export const customEventsQuery = queryType({
  name: 'custom_events',
  about: 'website',
  shape: 'list',
  category: 'Events',
  description: 'Custom events by name',
  publicAccess: true,
  fields: {
    name: text,
    total_events: count,
    unique_users: count,
    unique_sessions: count,
    first_occurrence: timestamp,
    last_occurrence: timestamp,
    events_with_properties: count,
    percentage: percent,
  },
  order: byCounts(COUNTS, 'name'),
  sources: { days: byDays },
  sessionColumns: ranked(byName, { by: COUNTS, share: 'total_events', texts: { name: 'value' } }),
  row: (found) => ({ percentage: shareOf(found, 'total_events') }),
});

function byDays(context: QueryContext): Sql {
  return sql`
with grouped as (
  select value, total_events, events_with_properties, first_at, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_events) as total_events, sum(events_with_properties) as events_with_properties,
      min(first_at) as first_at, max(last_at) as last_at
    from ${rowsOfDays(context, customEventsDaily, { columns: sql`*`, also: emptySql })}
    group by value having sum(total_events) > 0
  ) totals
  left join (${distinctCounts(context, customEventUsers)}) users using (value)
  left join (${distinctCounts(context, customEventSessions)}) visits using (value)
)
select coalesce(d.text, '') as name, total_events::float8 as total_events, unique_users::float8 as unique_users,
  unique_sessions::float8 as unique_sessions, first_at as first_occurrence, last_at as last_occurrence,
  events_with_properties::float8 as events_with_properties, whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_events) over () as whole, ${TOTAL_ROWS} from grouped${topNWithTies(COUNTS, context)}
) r
left join dictionary d on d.id = r.value`;
}
