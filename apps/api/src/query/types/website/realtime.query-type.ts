import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { countryName } from '@ledgerline/domain/query/countries';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, orNull, text, timestamp } from '../../fields';
import { textIn } from '../../sql-row';
import { COUNTRY, NAME, only, REFERRER, UNKNOWN, type Labels } from '../../labels';
import { byCounts, queryType, type QueryContext, type QueryType } from '../../query-type';
import { rankedRows } from '../../sql/lists';
import { instant, type Span } from '../../sql/series';
import { hitsIn, ofAnyKind, withSelectedView } from '../../sql/sessions';
import { eventName } from './session-events.query-type';

const REALTIME = { about: 'website', category: 'Realtime', isAboutNow: true } as const;

const MINUTE_MS = 60_000;

/** The last five minutes, this millisecond included, whatever dates are asked for. */
const lastFiveMinutes = ({ now }: QueryContext): Span => ({ from: now - 5 * MINUTE_MS, to: now + 1 });

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
  return sql`
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from ${hitsIn(context, lastFiveMinutes(context), { kind: ofAnyKind(context), of, where: emptySql })}`;
}

interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  readonly by: 'path' | 'referrer' | 'country';
  readonly labels: Labels;
}

const DIMENSIONS: readonly Dimension[] = [
  { name: 'realtime_pages', description: 'Pages viewed in the last five minutes', by: 'path', labels: NAME },
  {
    name: 'realtime_referrers',
    description: 'Traffic sources of the page views of the last five minutes, with direct visits as Direct',
    by: 'referrer',
    labels: only(REFERRER, 'name'),
  },
  {
    name: 'realtime_countries',
    description: 'Countries of the page views of the last five minutes',
    by: 'country',
    labels: only(COUNTRY, 'name'),
  },
];

const COUNTS = ['pageviews', 'visitors'];

/** Page views and visitors of the last five minutes by one dimension, whatever dates are asked for. */
export const realtimeDimensions: readonly QueryType[] = DIMENSIONS.map(({ name, description, by, labels }) =>
  queryType({
    ...REALTIME,
    name,
    shape: 'list',
    description,
    fields: { ...labels.fields, pageviews: count, visitors: count },
    order: byCounts(COUNTS, 'name'),
    sources: { facts: (context) => rankedRows(views(context, by), COUNTS, 'visitors', context) },
    row: (found) => labels.of(textIn(found, 'text')),
  }),
);

/** Page views by their own path or by an attribute that only a session has. */
function views(context: QueryContext, by: Dimension['by']): Sql {
  const hits = hitsIn(context, lastFiveMinutes(context), {
    kind: sql`h.kind = ${HIT.view}`,
    of: by === 'path' ? sql`s.visitor` : sql`s.visitor, ${identifier('s', by)} as value`,
    columns: by === 'path' ? ['path'] : [],
    where: by === 'path' ? emptySql : sql` and s.entered_at is not null`,
  });
  const value = by === 'path' ? sql`h.path` : sql`h.value`;
  return sql`
  select ${value} as value, count(*) as pageviews, count(distinct h.visitor) as visitors from ${hits}
  group by 1`;
}

export const realtimeFeed = queryType({
  ...REALTIME,
  name: 'realtime_feed',
  shape: 'list',
  description: 'Page views, custom events and outgoing links of the last five minutes, newest first',
  fields: { timestamp, event_name: text, path: orNull(text), country: text, browser_name: text },
  sortedBySql: ['timestamp'],
  sources: { facts: lastEvents },
  row: (found) => ({
    event_name: eventName(found),
    country: countryName(textIn(found, 'country')) || UNKNOWN,
    browser_name: textIn(found, 'browser_name') || UNKNOWN,
  }),
});

function lastEvents(context: QueryContext): Sql {
  const { page, sort } = context;
  const hits = hitsIn(context, lastFiveMinutes(context), {
    kind: sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`,
    of: sql`s.country, s.browser_name`,
    columns: ['id', 'path', 'text'],
    where: emptySql,
  });
  const order = sort?.direction === 'asc' ? sql`h.at, h.id` : sql`h.at desc, h.id desc`;
  return sql`
with feed as (
  select *, count(*) over () as total_rows from ${hits}
  order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
)
select h.at as timestamp, h.kind::float8 as kind, content.text, path.text as path, country.text as country,
  browser.text as browser_name, h.total_rows::float8 as total_rows
from feed h
left join dictionary content on h.kind = ${HIT.custom} and content.id = h.text
left join dictionary path on path.id = h.path
left join dictionary country on country.id = h.country
left join dictionary browser on browser.id = h.browser_name
order by ${order}`;
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
  pagesFromNewest: true,
  sources: { facts: lastMinutes },
});

function lastMinutes(context: QueryContext): Sql {
  const { now } = context;
  const present = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const first = present - (MINUTES - 1) * MINUTE_MS;
  const hits = hitsIn(
    context,
    { from: first, to: now + 1 },
    {
      kind: sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`,
      of: sql`s.visitor`,
      where: emptySql,
    },
  );
  const isView = sql`filter (where h.kind = ${HIT.view})`;
  return sql`
select minute, coalesce(pageviews, 0)::float8 as pageviews, coalesce(events, 0)::float8 as events,
  coalesce(visitors, 0)::float8 as visitors
from generate_series(${instant(first)}, ${instant(present)}, interval '1 minute') as minutes(minute)
left join (
  select date_bin(interval '1 minute', h.at, ${instant(first)}) as minute, count(*) ${isView} as pageviews,
    count(*) as events, count(distinct h.visitor) ${isView} as visitors
  from ${hits}
  group by 1
) happened using (minute)
order by minute`;
}
