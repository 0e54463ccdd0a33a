import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn, instant, selectsHits, sessionsIn } from '../../sql/facts';
import { hitsIn, hitsOf } from '../../sql/hits';
import { medianOf } from '../../sql/medians';
import { boundsOf, bucketOf, spanOf } from '../../sql/series';
import { IS_VIEW, union, viewsByGroup } from '../../sql/views';

/** What counted sessions `s` add up to. */
export const SESSION_SUMS = sql`count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events`;

/** The median duration of counted sessions `s`, exactly. */
export const MEDIAN = sql`${medianOf(sql`s.duration_ms`)}::float8 as median_ms`;

/** Page views, visitors and sessions of each bucket with their bounces, durations and events, from facts. */
export const totalsFromFacts = (question: WebsiteQuestion): Sql => totals(question, SESSION_SUMS);

/** The same with the median duration of each bucket. */
export const totalsWithMediansFromFacts = (question: WebsiteQuestion): Sql =>
  totals(question, sql`${SESSION_SUMS}, ${MEDIAN}`);

const totals = (question: WebsiteQuestion, sums: Sql): Sql => sql`
with ${question.filters.some(selectsHits) ? fromHits(question, sums) : fromSessions(question, sums)}
select grouped as bucket, pageviews::float8 as pageviews, visitors::float8 as visitors, visits.*
from views full join visits using (grouped)`;

const EACH = { kind: IS_VIEW, where: sql` and s.pageviews > 0` };

function fromHits(question: WebsiteQuestion, sums: Sql): Sql {
  const { from, to } = spanOf(question);
  return sql`views as (${viewsByGroup(sql`
    select ${bucketOf(question, sql`h.at`)} as grouped, h.visitor, 1 as views
    from ${hitsIn(question, from, to, { ...EACH, of: sql`s.visitor` })}`)}
), visits as (
  select ${bucketOf(question, sql`s.entered_at`)} as grouped, ${sums}
  from ${countedSessionsIn(question, from, to)}
  group by 1
)`;
}

/**
 * Only sessions across the ends of buckets need every hit. TRICKY: `offset 0` keeps Postgres from looking for the bucket
 * twice, and a number instead of a condition lets it expect few of them.
 */
function fromSessions(question: WebsiteQuestion, sums: Sql): Sql {
  const { from, to } = spanOf(question);
  const across = { ...EACH, of: sql`s.visitor`, where: sql` and s.is_across = 1` };
  return sql`found as materialized (
  select s.*, case when s.last_at < ${boundsOf(question)}[s.first_bucket + 1] then 0 else 1 end as is_across
  from (
    select s.website, s.visitor, s.session, s.last_at, s.entered_at, s.bounced, s.duration_ms,
      s.pageviews, s.custom_events, s.outgoing_links, ${bucketOf(question, sql`s.first_at`)} as first_bucket
    from ${sessionsIn(question, from, to)} and s.pageviews > 0 offset 0
  ) s
), views as (${viewsByGroup(
    union([
      sql`
    select s.first_bucket as grouped, s.visitor, s.pageviews as views from found s where s.is_across <> 1`,
      sql`select ${bucketOf(question, sql`h.at`)} as grouped, h.visitor, 1 as views
    from ${hitsOf(question, from, to, sql`found`, across)}`,
    ]),
  )}
), visits as (
  select case when s.is_across = 1 then ${bucketOf(question, sql`s.entered_at`)} else s.first_bucket end as grouped,
    ${sums}
  from found s
  where s.entered_at >= ${instant(from)} and s.entered_at < ${instant(to)}
  group by 1
)`;
}
