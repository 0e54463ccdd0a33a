import { engagementSpans } from '@ledgerline/contracts/read-models/website-engagement';
import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { errors } from '@ledgerline/contracts/read-models/website-errors';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { percentage } from '@ledgerline/domain/query/rows';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, orNull, percent, text, textIn, type SqlRow } from '../../fields';
import { busyPagesOf } from '../../session-columns/busy-pages';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays } from '../../sql/blocks';
import { busyPages, busyPagesByDays } from '../../sql/busy-pages';
import { eventsOf } from '../../sql/event-facts';
import { listed } from '../../sql/listed';
import { mostFrequent, mostFrequentText } from '../../sql/most-frequent';
import { among } from '../../sql/page-counts';

const COUNTS = ['page_views', 'visitors'];

export const frustrationByPage = queryType({
  name: 'frustration_by_page',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Rage clicks, dead clicks and errors per page view, of pages with at least five page views',
  fields: {
    name: text,
    page_views: count,
    visitors: count,
    rage_click_rate: percent,
    dead_click_rate: percent,
    error_rate: percent,
    top_dead_click_target: orNull(text),
    top_rage_click_target: orNull(text),
  },
  order: byCounts(COUNTS, 'name'),
  sources: { days: byDays, facts: (context) => fromFacts(context, busyPages(context)) },
  aggregateInMemory: {
    paths: true,
    isSlow: true,
    rows: (sessions, context, on) => run<SqlRow>(on, fromFacts(context, busyPagesOf(sessions, context))),
  },
  row: (found) => ({
    name: textIn(found, 'text'),
    rage_click_rate: perView(found, 'rage_clicks'),
    dead_click_rate: perView(found, 'dead_clicks'),
    error_rate: perView(found, 'errors'),
  }),
});

const perView = (found: SqlRow, clicks: string): number =>
  percentage(numberIn(found, clicks), numberIn(found, 'page_views'));

const OTHERS = ['rage_clicks', 'dead_clicks', 'errors'];
const TARGETS = ['top_dead_click_target', 'top_rage_click_target'];

function byDays(context: QueryContext): Sql {
  const events = { columns: OTHERS, by: ['value'], also: among(sql`pages`) };
  const grouped = sql`
  select pages.*, coalesce(rage_clicks, 0) as rage_clicks, coalesce(dead_clicks, 0) as dead_clicks,
    coalesce(errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
  from pages left join (${sumsByDays(context, pageEvents, events)}) events using (value)
  left join (${mostFrequentText(context, 'rageTarget')}) rage on rage.path = value
  left join (${mostFrequentText(context, 'deadTarget')}) dead on dead.path = value`;
  return sql`
with pages as (${busyPagesByDays(context)}
)
select * from (${listed(grouped, { counts: COUNTS, others: OTHERS, texts: TARGETS, isCounted: true }, context)}) listed`;
}

function fromFacts(context: QueryContext, views: Sql): Sql {
  const grouped = sql`
  select views.*, coalesce(events.rage_clicks, 0) as rage_clicks, coalesce(events.dead_clicks, 0) as dead_clicks,
    coalesce(events.errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
  from (${views}) views
  left join (
    select path, sum(rage_clicks) as rage_clicks, sum(dead_clicks) as dead_clicks, sum(errors) as errors
    from frustrating group by path
  ) events on events.path = views.value
  left join (${targets('rage')}) rage on rage.path = views.value
  left join (${targets('dead')}) dead on dead.path = views.value`;
  return sql`
with frustrating as materialized (
  select e.path, e.rage_clicks, e.dead_clicks, e.rage_target, e.dead_target, e.errors
  from ${eventsOf(context, clicksAndErrors(context), context)}
)
select * from (${listed(grouped, { counts: COUNTS, others: OTHERS, texts: TARGETS, isCounted: true }, context)}) listed`;
}

/** Together, so that their sessions are searched once. */
const clicksAndErrors = ({ table }: QueryContext): Sql => sql`(
    select website, at, visitor, session, path, rage_clicks, dead_clicks, rage_target, dead_target, 0 as errors
    from ${table(engagementSpans)} where rage_clicks > 0 or dead_clicks > 0
    union all
    select website, at, visitor, session, path, 0, 0, ${NO_TEXT}, ${NO_TEXT}, 1 from ${table(errors)}
  )`;

/** What was clicked most often in rage, or in vain, on each page. */
function targets(kind: 'rage' | 'dead'): Sql {
  const [clicks, target] = [identifier(`${kind}_clicks`), identifier(`${kind}_target`)];
  return mostFrequent(sql`
    select path, ${target} as target, sum(${clicks}) as times
    from frustrating where ${clicks} > 0 and ${target} <> ${NO_TEXT}
    group by 1, 2`);
}
