import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { customEventPageUsers, PAGE_TEXT, pageEvents, pageTexts } from '@ledgerline/contracts/read-models/page-events';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { customEvents, customEventsDaily, customEventUsers } from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text, textIn } from '../../fields';
import { BUCKET } from '../../counting/keys';
import { counted, rowsOf } from '../../counting/counted';
import { COUNT, different, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, sumsByDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { eventsIn } from '../../sql/event-facts';
import { listed } from '../../sql/listed';
import { among } from '../../sql/page-counts';
import { bucketOfDay, lastDayOf } from '../../sql/series';
import { NAME } from '../../labels';

const COUNTS = ['total_events', 'unique_event_types', 'unique_users'];
const measures = { total_events: COUNT, unique_event_types: different('name'), unique_users: VISITORS };
const byBucket = counted({ of: 'custom_events', by: { bucket: BUCKET }, measures });
const byPath = counted({ of: 'custom_events', by: { value: 'path' }, measures });

export const customEventsTrends = queryType({
  name: 'custom_events_trends',
  about: 'website',
  shape: 'series',
  category: 'Events',
  description: 'Custom events, their different names and the visitors who sent them over time',
  publicAccess: true,
  fields: { date: text, total_events: count, unique_event_types: count, unique_users: count },
  sources: { days: byDay },
  sessionColumns: rowsOf(byBucket),
});

export const customEventsByPath = queryType({
  name: 'custom_events_by_path',
  about: 'website',
  shape: 'list',
  category: 'Events',
  description: 'Custom events by the path they were sent from; Unknown for those without one',
  publicAccess: true,
  fields: { name: text, total_events: count, unique_event_types: count, unique_users: count },
  order: byCounts(COUNTS, 'name'),
  sources: { days: byPathAndDays },
  sessionColumns: ranked(byPath, { by: COUNTS }),
  row: (found) => NAME.of(textIn(found, 'text')),
});

export const customEventProperties = queryType({
  name: 'custom_event_properties',
  about: 'website',
  shape: 'list',
  category: 'Events',
  description: 'How often a property of a custom event had a value; values that are no text are JSON',
  fields: { name: text, property_key: text, property_value: text, count },
  order: byCounts(['count'], 'name', 'property_key', 'property_value'),
  sources: { facts: byProperty },
});

/** A day has one row for each name. */
function byDay(context: QueryContext): Sql {
  const { table, website, startDate } = context;
  const days = sql`website = ${website} and span = 1
    and day between ${startDate}::date and ${lastDayOf(context)}::date`;
  return sql`
select ${bucketOfDay(context, sql`day`)} as bucket, total_events::float8 as total_events,
  unique_event_types::float8 as unique_event_types, coalesce(unique_users, 0)::float8 as unique_users
from (
  select day, sum(total_events) as total_events, count(*) as unique_event_types
  from ${table(customEventsDaily)} where ${days} and total_events > 0
  group by day
) events
left join (
  select day, distinct_count as unique_users from ${table(customEventUsers)}
  where ${days} and value = ${EVERY_VALUE} and previous_day = ${NEVER}::date
) users using (day)`;
}

function byPathAndDays(context: QueryContext): Sql {
  const events = sumsByDays(context, pageEvents, { columns: ['custom_events'], by: ['value'] });
  const names = sumsByDays(context, pageTexts, {
    columns: ['times'],
    by: ['value', 'text'],
    also: sql` and kind = ${PAGE_TEXT.eventName}${among(sql`pages`)}`,
  });
  const users = distinctCounts(context, customEventPageUsers, { also: among(sql`pages`) });
  const grouped = sql`
  select value, total_events, unique_event_types, coalesce(distinct_count, 0) as unique_users, total_rows
  from pages
  left join (
    select value, count(*) as unique_event_types from (${names}) names where times > 0 group by value
  ) types using (value)
  left join (${users}) users using (value)`;
  return sql`
with pages as (
  select value, custom_events as total_events, ${TOTAL_ROWS} from (${events}) events
  where custom_events > 0${topNWithTies(['custom_events'], context)}
)${listed(grouped, { counts: COUNTS }, context)}`;
}

/** Equal properties are counted before they are split: most events of a name have the properties of others. */
function byProperty(context: QueryContext): Sql {
  return sql`
with sent as (
  select e.name, e.properties, count(*) as times
  from ${eventsIn(context, customEvents)} and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
)
select coalesce(d.text, '') as name, property_key, property_value, count::float8 as count,
  total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped${topNWithTies(['count'], context)}) r
left join dictionary d on d.id = r.name`;
}
