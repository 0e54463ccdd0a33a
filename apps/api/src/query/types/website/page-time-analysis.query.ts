import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberOrNull, orNull, percent, seconds, secondsOf, shareOf, text, textIn } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { listed } from '../../sql/listed';
import { medianOf } from '../../sql/medians';
import { pageVisitsIn } from '../../sql/page-visits';

const COUNTS = ['sessions_with_time', 'visitors'];

export const pageTimeAnalysis = queryType({
  name: 'page_time_analysis',
  about: 'website',
  shape: 'list',
  category: 'Engagement',
  description: 'Time on each page, of the visits of which it is known',
  publicAccess: true,
  fields: {
    name: text,
    sessions_with_time: count,
    visitors: count,
    median_time_on_page: orNull(seconds),
    percentage: percent,
  },
  order: byCounts(COUNTS, 'name'),
  sources: { facts: fromFacts },
  row: (found) => ({
    name: textIn(found, 'text'),
    median_time_on_page: secondsOf(numberOrNull(found, 'median_ms')),
    percentage: shareOf(found, 'visitors'),
  }),
});

function fromFacts(context: QueryContext): Sql {
  const grouped = sql`
  select *, sum(visitors) over () as whole
  from (
    select v.path as value, count(distinct (v.visitor, v.session)) as sessions_with_time,
      count(distinct v.visitor) as visitors, ${medianOf(sql`v.time_ms`)} as median_ms
    from ${pageVisitsIn(context, context)} and v.time_ms >= 0
    group by v.path
  ) visits`;
  return listed(grouped, { counts: COUNTS, others: ['median_ms', 'whole'] }, context);
}
