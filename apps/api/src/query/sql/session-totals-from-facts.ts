import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { medianOf } from './medians';
import { boundsArray, bucketOf, bucketOfStretch, instant, spanOf, stretchOf } from './series';
import { countedSessionsIn, hitsIn, sessionHitsSql, selectsHits, sessionsIn } from './sessions';
import { IS_VIEW, union, viewsByGroup } from './views';

/** What counted sessions `s` add up to. */
export const SESSION_SUMS = sql`count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events`;

/** The median duration of counted sessions `s`, exactly. */
export const MEDIAN = sql`${medianOf(sql`s.duration_ms`)}::float8 as median_ms`;

/** Page views, visitors and sessions of each bucket with their bounces, durations and events, from facts. */
export const totalsFromFacts = (context: QueryContext): Sql => totals(context, SESSION_SUMS);

/** The same with the median duration of each bucket. */
export const totalsWithMediansFromFacts = (context: QueryContext): Sql =>
  totals(context, sql`${SESSION_SUMS}, ${MEDIAN}`);

const totals = (context: QueryContext, sums: Sql): Sql => sql`
with ${context.filters.some(selectsHits) ? fromHits(context, sums) : fromSessions(context, sums)}
select grouped as bucket, pageviews::float8 as pageviews, visitors::float8 as visitors, visits.*
from views full join visits using (grouped)`;

const EACH = { kind: IS_VIEW, where: sql` and s.pageviews > 0` };

function fromHits(context: QueryContext, sums: Sql): Sql {
  const span = spanOf(context);
  return sql`views as (${viewsByGroup(sql`
    select ${bucketOf(context, sql`h.at`)} as grouped, h.visitor, 1 as views
    from ${hitsIn(context, span, { ...EACH, of: sql`s.visitor` })}`)}
), visits as (
  select ${bucketOf(context, sql`s.entered_at`)} as grouped, ${sums}
  from ${countedSessionsIn(context, span)}
  group by 1
)`;
}

/**
 * Only sessions across the ends of stretches need every hit. TRICKY: `offset 0` keeps Postgres from looking for the stretch
 * twice, and a number instead of a condition lets it expect few of them.
 */
function fromSessions(context: QueryContext, sums: Sql): Sql {
  const span = spanOf(context);
  const across = { ...EACH, of: sql`s.visitor`, where: sql` and s.is_across = 1` };
  return sql`found as materialized (
  select s.*, case when s.last_at < ${boundsArray(context)}[s.first_stretch + 1] then 0 else 1 end as is_across
  from (
    select s.website, s.visitor, s.session, s.last_at, s.entered_at, s.bounced, s.duration_ms,
      s.pageviews, s.custom_events, s.outgoing_links, ${stretchOf(context, sql`s.first_at`)} as first_stretch
    from ${sessionsIn(context, span)} and s.pageviews > 0 offset 0
  ) s
), views as (${viewsByGroup(
    union([
      sql`
    select ${bucketOfStretch(context, sql`s.first_stretch`)} as grouped, s.visitor, s.pageviews as views
    from found s where s.is_across <> 1`,
      sql`select ${bucketOf(context, sql`h.at`)} as grouped, h.visitor, 1 as views
    from ${sessionHitsSql(context, span, sql`found`, across)}`,
    ]),
  )}
), visits as (
  select ${bucketOfStretch(
    context,
    sql`case when s.is_across = 1 then ${stretchOf(context, sql`s.entered_at`)} else s.first_stretch end`,
  )} as grouped, ${sums}
  from found s
  where s.entered_at >= ${instant(span.from)} and s.entered_at < ${instant(span.to)}
  group by 1
)`;
}
