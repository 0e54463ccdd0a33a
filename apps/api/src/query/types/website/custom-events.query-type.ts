import { aggregate, BUCKET } from '@ledgerline/aggregation/aggregation';
import { positive } from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import * as models from '@ledgerline/contracts/read-models/website-facts';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  count,
  countFields,
  idIn,
  objectField,
  nullableField,
  percent,
  ratio,
  textField,
  textAs,
  timestamp,
} from '../../declaration/fields';
import { listQueryType, singleUnits } from '../../declaration/list-type';
import type { QueryContext } from '../../declaration/query-context';
import { byCounts, queryType } from '../../declaration/query-type';
import {
  IDENTITY_COLUMNS,
  IDENTITY_FIELDS,
  TOTAL_ROWS,
  identityOf,
  identityOfVisitor,
  singlesPageSql,
  firstRowsBy,
  countRowsSql,
  textColumnSql,
} from '../../sql/rows';
import { eventsIn } from '../../sql/sessions';

const EVENTS = { category: 'Events', publicAccess: true } as const;

export const customEventsQuery = listQueryType({
  ...EVENTS,
  name: 'custom_events',
  description: 'Custom events by name',
  labels: textAs('name'),
  fields: {
    ...countFields(['total_events', 'unique_users', 'unique_sessions']),
    first_occurrence: timestamp,
    last_occurrence: timestamp,
    events_with_properties: count,
    percentage: percent,
  },
  count: aggregate(AGGREGATES.event_names),
  share: { column: 'total_events', of: 'sum' },
});

const fields = { total_events: count, unique_event_types: count, unique_users: count };
const { event_pages } = AGGREGATES;
const typesOfPages = { different: ['name', 'event_names_of_pages'] } as const;

export const customEventsTrends = queryType({
  ...EVENTS,
  name: 'custom_events_trends',
  shape: 'series',
  description: 'Custom events, their different names and the visitors who sent them over time',
  fields: { date: textField, ...fields },
  counting: {
    plan: aggregate({
      ...AGGREGATES.custom_events,
      by: { bucket: BUCKET },
      measures: {
        total_events: 'count',
        unique_event_types: { different: ['name', 'event_names'] },
        unique_users: 'visitors',
      },
    }),
  },
});

export const customEventsByPath = listQueryType({
  ...EVENTS,
  name: 'custom_events_by_path',
  description: 'Custom events by the path they were sent from; Unknown for those without one',
  fields,
  count: aggregate({ ...event_pages, measures: { ...event_pages.measures, unique_event_types: typesOfPages } }),
});

export const customEventProperties = queryType({
  name: 'custom_event_properties',
  shape: 'list',
  category: 'Events',
  description:
    'How often a property of a custom event had a value (values that are no text are JSON), with count, sum and average ' +
    'of all numbers of the property',
  fields: {
    name: textField,
    property_key: textField,
    property_value: textField,
    count,
    numeric_count: count,
    numeric_sum: nullableField(ratio),
    numeric_average: nullableField(ratio),
  },
  order: byCounts(['count', 'numeric_count'], 'name', 'property_key', 'property_value'),
  sources: { facts: byProperty },
  // columns do not have properties: filters select the times of the events that do
  counting: {
    plan: aggregate({ of: 'custom_events', by: { at: 'at' }, where: positive('has_properties'), measures: {} }),
  },
});

/** Ascending, as answers are ordered. */
const TEXTS = ['name', 'property_key', 'property_value'].map((name) => sql`${identifier(name)} collate "C"`);

/** A decimal as the nearest float8; null beyond its range, as JSON has no such number. TRICKY: a cast would fail there. */
const nearestFloat = (decimal: Sql): Sql =>
  sql`case when abs(${decimal}) <= ${String(Number.MAX_VALUE)}::numeric then round(${decimal}, 300)::float8 end`;

/**
 * Equal properties are counted before they are split: most events of a name have the properties of others. Numbers are
 * summed as decimals: 0.1 and 0.2 are 0.3. Of texts none is a number.
 */
function byProperty(context: QueryContext): Sql {
  const ofProperty = sql`over (partition by grouped.name, property_key)`;
  return sql`
with sent as (
  select e.name, e.properties, count(*) as times
  from ${eventsIn(context, models.customEvents)} and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count,
    sum(case jsonb_typeof(p.value) when 'number' then times else 0 end) as numbers,
    sum(case jsonb_typeof(p.value) when 'number' then p.value::numeric * times end) as added
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
), counted as (
  select coalesce(d.text, '') as name, property_key, property_value, count, ${TOTAL_ROWS},
    sum(numbers) ${ofProperty} as numeric_count, sum(added) ${ofProperty} as numeric_sum
  from grouped left join dictionary d on d.id = grouped.name
)
select name, property_key, property_value, count::float8 as count,
  numeric_count::float8 as numeric_count, ${nearestFloat(sql`numeric_sum`)} as numeric_sum,
  ${nearestFloat(sql`(numeric_sum / nullif(numeric_count, 0))`)} as numeric_average, total_rows::float8 as total_rows
from (
  select * from counted${firstRowsBy([sql`count desc`, sql`numeric_count desc`, ...TEXTS], context)}
) r`;
}

export const customEventsRecent = queryType({
  name: 'custom_events_recent',
  shape: 'list',
  category: 'Events',
  description: 'Single custom events with their properties, newest first',
  fields: {
    event_name: textField,
    namespace: nullableField(textField),
    path: nullableField(textField),
    properties: objectField,
    visitor_id: nullableField(textField),
    ...IDENTITY_FIELDS,
    session_id: nullableField(textField),
    timestamp,
  },
  sources: {
    singles: {
      sortedBy: ['timestamp'],
      countRows: (context) => countRowsSql(eventsIn(context, models.customEvents)),
      total: aggregate({ ...AGGREGATES.custom_events, measures: { total_rows: 'count' } }),
    },
    facts: (context) =>
      singlesPageSql(context, {
        row: 'e',
        from: eventsIn(context, models.customEvents),
        columns: sql`e.at as timestamp, e.visitor, e.session, e.namespace, e.properties,
  ${textColumnSql(sql`e.name`, 'event_name')}, ${textColumnSql(sql`e.path`, 'path')}, ${IDENTITY_COLUMNS}`,
        joins: sql` ${identityOfVisitor(context, sql`e.visitor`)}`,
      }),
  },
  counting: singleUnits('custom_events'),
  row: (found) => ({
    visitor_id: idIn(found, 'visitor'),
    ...identityOf(found),
    session_id: idIn(found, 'session'),
  }),
});
