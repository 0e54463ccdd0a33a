import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import {
  customEventsDaily,
  customEventSessions,
  customEventUsers,
} from '@ledgerline/contracts/read-models/website-events';
import { percentage } from '@ledgerline/domain/query/rows';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, text, timestamp } from '../../fields';
import { instantIn, numberIn, textIn } from '../../found';
import { byCounts, websiteList } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { rowsOfDays } from '../../sql/blocks';
import { distinctByDays } from '../../sql/distinct';
import { hitsIn } from '../../sql/hits';
import { first } from '../../sql/ranked';
import { WEBSITE_FILTERS } from './filters';

const COUNTS = ['total_events', 'unique_users', 'unique_sessions'];

export const customEventsQuery = websiteList({
  name: 'custom_events',
  category: 'Events',
  meaning: 'Custom events by name',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
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
  answers: {
    days: (question) => named(byDays(question), question),
    facts: (question) => named(byHits(question), question),
  },
  row: (found) => ({
    name: textIn(found, 'word'),
    total_events: numberIn(found, 'total_events'),
    unique_users: numberIn(found, 'unique_users'),
    unique_sessions: numberIn(found, 'unique_sessions'),
    first_occurrence: instantIn(found, 'first_at'),
    last_occurrence: instantIn(found, 'last_at'),
    events_with_properties: numberIn(found, 'events_with_properties'),
    percentage: percentage(numberIn(found, 'total_events'), numberIn(found, 'whole')),
  }),
});

const named = (grouped: Sql, question: WebsiteQuestion): Sql => sql`
with grouped as (${grouped})
select coalesce(w.word, '') as word, total_events::float8 as total_events, unique_users::float8 as unique_users,
  unique_sessions::float8 as unique_sessions, first_at, last_at,
  events_with_properties::float8 as events_with_properties, whole::float8 as whole
from (select *, sum(total_events) over () as whole from grouped${first(COUNTS, question)}) r
left join words w on w.id = r.value`;

const byDays = (question: WebsiteQuestion): Sql => sql`
  select value, total_events, events_with_properties, first_at, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_events) as total_events, sum(events_with_properties) as events_with_properties,
      min(first_at) as first_at, max(last_at) as last_at
    from ${rowsOfDays(question, customEventsDaily, { columns: sql`*`, also: emptySql })}
    group by value having sum(total_events) > 0
  ) totals
  left join (${distinctByDays(question, customEventUsers)}) users using (value)
  left join (${distinctByDays(question, customEventSessions)}) visits using (value)`;

/** Events in no session belong to nobody and add to neither distinct count. */
const byHits = (question: WebsiteQuestion): Sql => sql`
  select h.word as value, count(*) as total_events, sum(h.more) as events_with_properties,
    min(h.at) as first_at, max(h.at) as last_at, count(distinct h.visitor) as unique_users,
    count(distinct (h.unit, h.session)) filter (where h.is_session) as unique_sessions
  from ${hitsIn(question, question.from, question.to, {
    kind: sql`h.kind = ${HIT.custom}`,
    of: sql`s.visitor, s.unit, s.session, s.kind <> ${SESSION_KIND.none} as is_session`,
    columns: ['word', 'more'],
    where: sql` and s.custom_events > 0`,
  })}
  group by h.word`;
