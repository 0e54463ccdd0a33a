import { pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { percentage } from '@ledgerline/domain/query/rows';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberIn, orNull, percent, text, textIn, type SqlRow } from '../../fields';
import { BUSY_PAGES } from '../../counting/busy-pages';
import { beside, counted } from '../../counting/counted';
import { COUNT, sum } from '../../counting/measures';
import { withMostFrequent } from '../../counting/most-frequent';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { sumsByDays } from '../../sql/rollups';
import { busyPagesByDays } from '../../sql/busy-pages';
import { listed } from '../../sql/listed';
import { mostFrequentText } from '../../sql/most-frequent';
import { among } from '../../sql/page-counts';

const COUNTS = ['page_views', 'visitors'];

const clicks = counted({
  of: 'spans',
  by: { value: 'path' },
  measures: { rage_clicks: sum('rage_clicks'), dead_clicks: sum('dead_clicks') },
});
const errors = counted({ of: 'errors', by: { value: 'path' }, measures: { errors: COUNT } });

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
  sources: { days: byDays },
  sessionColumns: withMostFrequent(
    ranked(beside(['value'], BUSY_PAGES, clicks, errors), {
      by: COUNTS,
      texts: { text: 'value', top_dead_click_target: 'dead_targets', top_rage_click_target: 'rage_targets' },
    }),
    {
      dead_targets: { text: 'dead_target', times: 'dead_clicks' },
      rage_targets: { text: 'rage_target', times: 'rage_clicks' },
    },
  ),
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
)${listed(grouped, { counts: COUNTS, others: OTHERS, texts: TARGETS }, context)}`;
}
