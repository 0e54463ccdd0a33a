import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  customEventsDaily,
  customEventSessions,
  customEventUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, shareOf, text, timestamp } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays } from '../../sql/blocks';
import { topNWithTies, TOTAL_ROWS } from '../../sql/ranked';
import { hitsIn } from '../../sql/sessions';

const COUNTS = ['total_events', 'unique_users', 'unique_sessions', 'events_with_properties'];

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
  sources: {
    days: (context) => named(byDays(context), context),
    facts: (context) => named(byHits(context), context),
  },
  row: (found) => ({ percentage: shareOf(found, 'total_events') }),
});

const named = (grouped: Sql, context: QueryContext): Sql => sql`
with grouped as (${grouped})
select coalesce(d.text, '') as name, total_events::float8 as total_events, unique_users::float8 as unique_users,
  unique_sessions::float8 as unique_sessions, first_at as first_occurrence, last_at as last_occurrence,
  events_with_properties::float8 as events_with_properties, whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_events) over () as whole, ${TOTAL_ROWS} from grouped${topNWithTies(COUNTS, context)}
) r
left join dictionary d on d.id = r.value`;

const byDays = (context: QueryContext): Sql => sql`
  select value, total_events, events_with_properties, first_at, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_events) as total_events, sum(events_with_properties) as events_with_properties,
      min(first_at) as first_at, max(last_at) as last_at
    from ${rowsOfDays(context, customEventsDaily, { columns: sql`*`, also: emptySql })}
    group by value having sum(total_events) > 0
  ) totals
  left join (${distinctCounts(context, customEventUsers)}) users using (value)
  left join (${distinctCounts(context, customEventSessions)}) visits using (value)`;

/** Events without a session have no visitor and add to neither distinct count. */
const byHits = (context: QueryContext): Sql => sql`
  select h.text as value, count(*) as total_events, sum(h.extra) as events_with_properties,
    min(h.at) as first_at, max(h.at) as last_at, count(distinct h.visitor) as unique_users,
    count(distinct (h.actor, h.session)) filter (where h.is_session) as unique_sessions
  from ${hitsIn(context, context, {
    kind: sql`h.kind = ${HIT.custom}`,
    of: sql`s.visitor, s.actor, s.session, s.kind <> ${SESSION_KIND.none} as is_session`,
    columns: ['text', 'extra'],
    where: sql` and s.custom_events > 0`,
  })}
  group by h.text`;
