import { selectsHits } from '@ledgerline/aggregation/aggregation';
import { CLOCK_TOLERANCE_MS } from '@ledgerline/contracts/intake-limits';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { instant, emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  attributesIn,
  count,
  idIn,
  labelsOf,
  nullableField,
  textField,
  textFields,
  textIn,
  timestamp,
  withoutDashes,
} from '../../declaration/fields';
import type { QueryContext } from '../../declaration/query-context';
import { byCounts, queryType, type QueryType } from '../../declaration/query-type';
import {
  TOTAL_ROWS,
  asNumber,
  columnList,
  directionOf,
  singlesPageSql,
  textColumnSql,
  textsOf,
  topNWithTies,
} from '../../sql/rows';
import { SESSION_EVENT_KINDS_SQL, hitsSql, NAME, sessionsIn, withHitIn, withSelectedView } from '../../sql/sessions';
import { type TimeRange } from '../../sql/time';
import { eventName } from './session-events.query-type';

const REALTIME = { category: 'Realtime', range: 'minutes' } as const;

const MINUTE_MS = 60_000;

/** Since then, with the events of browsers whose clocks are ahead. */
const upToNow = (from: number, now: number): TimeRange => ({ from, to: now + CLOCK_TOLERANCE_MS + 1 });

/** So many minutes of the clock, the present one included. */
const minutesOfClock = (now: number, minutes: number): TimeRange =>
  upToNow((Math.floor(now / MINUTE_MS) - minutes + 1) * MINUTE_MS, now);

/** The last five minutes, or those of the clock that are asked for, whatever dates are. */
const lastMinutes = ({ now, minutes }: QueryContext): TimeRange =>
  minutes === undefined ? upToNow(now - 5 * MINUTE_MS, now) : minutesOfClock(now, minutes);

export const activeStats = queryType({
  ...REALTIME,
  name: 'active_stats',
  category: 'Summary',
  shape: 'totals',
  description: 'Visitors and sessions with any event in the last five minutes, whatever dates are asked for',
  publicAccess: true,
  fields: { active_users: count, active_sessions: count },
  sources: { facts: activeNow },
});

function activeNow(context: QueryContext): Sql {
  const of = sql`s.visitor, s.actor, s.session, s.entered_at is not null${withSelectedView(context)} as is_counted`;
  const kind = context.filters.some(selectsHits) ? SESSION_EVENT_KINDS_SQL : undefined;
  return sql`
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from ${hitsSql(context, lastMinutes(context), { kind, of })}`;
}

const DIMENSIONS = [
  { name: 'realtime_pages', by: 'path', description: 'Pages viewed in the last five minutes' },
  {
    name: 'realtime_referrers',
    by: 'referrer',
    description: 'Traffic sources of the page views of the last five minutes, with direct visits as Direct',
  },
  { name: 'realtime_countries', by: 'country', description: 'Countries of the page views of the last five minutes' },
] as const;

const COUNTS = ['visitors', 'pageviews'];

/** Page views and visitors of the last five minutes by one dimension, whatever dates are asked for. */
export const realtimeDimensions: readonly QueryType[] = DIMENSIONS.map(({ name, description, by }) => {
  const labels = labelsOf(by, 'name');
  return queryType({
    ...REALTIME,
    name,
    shape: 'list',
    description,
    fields: { ...labels.fields, pageviews: count, visitors: count },
    order: byCounts(COUNTS, 'name'),
    sources: { facts: (context) => viewsBy(by, context) },
    row: (found) => labels.of(textIn(found, 'text')),
  });
});

/** Page views by their own path or by an attribute that only a session has. */
function viewsBy(by: string, context: QueryContext): Sql {
  const isPath = by === 'path';
  const hits = hitsSql(context, lastMinutes(context), {
    kind: sql`h.kind = ${HIT.view}`,
    of: isPath ? sql`s.visitor` : sql`s.visitor, ${identifier('s', by)}`,
    columns: isPath ? ['path'] : [],
    where: isPath ? emptySql : sql` and s.entered_at is not null`,
  });
  return sql`
select coalesce(d.text, '') as text, ${columnList(COUNTS, asNumber)}, total_rows::float8 as total_rows
from (
  select ${identifier('h', by)} as value, count(*) as pageviews, count(distinct h.visitor) as visitors, ${TOTAL_ROWS}
  from ${hits}
  group by 1${topNWithTies(COUNTS, context)}
) ranked
left join dictionary d on d.id = value`;
}

const ATTRIBUTES = ['country', 'browser_name'];

export const realtimeFeed = queryType({
  ...REALTIME,
  name: 'realtime_feed',
  shape: 'list',
  description: 'Page views, custom events and outgoing links of the last five minutes, newest first',
  fields: { timestamp, event_name: textField, path: nullableField(textField), ...textFields(ATTRIBUTES) },
  sources: {
    singles: { sortedBy: ['timestamp'] },
    facts: (context) =>
      singlesPageSql(context, {
        row: 'h',
        found: sql`*, ${TOTAL_ROWS}`,
        from: hitsSql(context, lastMinutes(context), {
          kind: SESSION_EVENT_KINDS_SQL,
          of: sql`s.country, s.browser_name`,
          columns: ['id', 'path', NAME],
        }),
        columns: sql`h.at as timestamp, h.kind::float8 as kind, h.total_rows::float8 as total_rows,
  ${textColumnSql(sql`case h.kind when ${HIT.custom} then h.name end`, 'text')},
  ${textsOf('h', ['path', ...ATTRIBUTES])}`,
      }),
  },
  row: (found) => ({ event_name: eventName(found), ...attributesIn(found, ATTRIBUTES) }),
});

const SESSION_ATTRIBUTES = ['country', 'referrer', 'device_type', 'browser_name'];

export const realtimeSessions = queryType({
  ...REALTIME,
  name: 'realtime_sessions',
  shape: 'list',
  description: 'Counted sessions with any event in the last five minutes, the newest event first',
  fields: {
    session_id: textField,
    visitor_id: nullableField(textField),
    first_visit: timestamp,
    last_visit: timestamp,
    page_views: count,
    entry_path: textField,
    exit_path: textField,
    ...textFields(SESSION_ATTRIBUTES),
  },
  sources: { facts: activeSessions, singles: { sortedBy: ['last_visit'] } },
  row: (found) => ({
    session_id: withoutDashes(textIn(found, 'session')),
    visitor_id: idIn(found, 'visitor'),
    ...attributesIn(found, SESSION_ATTRIBUTES),
  }),
});

/** As many as `active_sessions` of {@link activeStats}. */
function activeSessions(context: QueryContext): Sql {
  const kind = context.filters.some(selectsHits) ? SESSION_EVENT_KINDS_SQL : undefined;
  return singlesPageSql(context, {
    row: 's',
    found: sql`s.*, ${TOTAL_ROWS}`,
    from: sql`${sessionsIn(context, lastMinutes(context))} and s.entered_at is not null${withSelectedView(context)}${withHitIn(context, lastMinutes(context), kind)}`,
    order: sql`order by s.last_at ${directionOf(context)}, s.session, s.actor`,
    columns: sql`s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.pageviews as page_views,
  ${textsOf('s', ['entry_path', 'exit_path', ...SESSION_ATTRIBUTES])}, s.total_rows::float8 as total_rows`,
  });
}

const MINUTES = 60;

export const realtimeVelocity = queryType({
  ...REALTIME,
  name: 'realtime_velocity',
  shape: 'list',
  description:
    'Page views, events and visitors of each of the last sixty minutes, the present one last; a limit keeps the newest',
  fields: { minute: timestamp, pageviews: count, events: count, visitors: count },
  order: [{ field: 'minute', direction: 'asc' }],
  sources: { facts: minuteByMinute },
});

function minuteByMinute(context: QueryContext): Sql {
  const { now, minutes = MINUTES } = context;
  const span = minutesOfClock(now, minutes);
  const first = span.from;
  const present = span.from + (minutes - 1) * MINUTE_MS;
  const hits = hitsSql(context, span, { kind: SESSION_EVENT_KINDS_SQL, of: sql`s.visitor` });
  const isView = sql`filter (where h.kind = ${HIT.view})`;
  return sql`
select minute, coalesce(pageviews, 0)::float8 as pageviews, coalesce(events, 0)::float8 as events,
  coalesce(visitors, 0)::float8 as visitors
from generate_series(${instant(first)}, ${instant(present)}, interval '1 minute') as minutes(minute)
left join (
  select least(date_bin(interval '1 minute', h.at, ${instant(first)}), ${instant(present)}) as minute, count(*) ${isView} as pageviews,
    count(*) as events, count(distinct h.visitor) ${isView} as visitors
  from ${hits}
  group by 1
) happened using (minute)
order by minute`;
}
