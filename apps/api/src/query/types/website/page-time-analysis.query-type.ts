import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, estimate, percent, seconds, secondsOf, shareOf, text, textIn } from '../../fields';
import { counted } from '../../counting/counted';
import { known, median, SESSIONS, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { histogramsByDays, medianIn } from '../../sql/histograms';
import { listed } from '../../sql/listed';
import { overEveryPage, pageCounts } from '../../sql/page-counts';

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
    median_time_on_page: estimate(seconds),
    percentage: percent,
  },
  order: byCounts(COUNTS, 'name'),
  sources: { days: byDays },
  sessionColumns: ranked(
    counted({
      of: 'visits',
      by: { value: 'path' },
      where: known('time_ms'),
      measures: { sessions_with_time: SESSIONS, visitors: VISITORS, median_ms: median('time_ms') },
    }),
    { by: COUNTS, share: 'visitors' },
  ),
  row: (found) => ({
    name: textIn(found, 'text'),
    median_time_on_page: secondsOf(medianIn(found, 'median_ms')),
    percentage: shareOf(found, 'visitors'),
  }),
});

function byDays(context: QueryContext): Sql {
  const counts = ['timed_sessions', 'timed_visitors'] as const;
  const grouped = sql`
  select value, total_rows, coalesce(timed_sessions, 0) as sessions_with_time, coalesce(timed_visitors, 0) as visitors,
    (select timed_visitors from (${overEveryPage(context, ['timed_visitors'])}) e) as whole
  from pages left join counted using (value)`;
  const times = histogramsByDays(context, pageVisits, 'time_bins', sql` and value = listed.value::integer`);
  return sql`
with ${pageCounts(context, { visits: 'timed', sums: [], counts })}
select listed.*, times.*
from (${listed(grouped, { counts: COUNTS, others: ['whole', 'value'] }, context)}) listed
cross join lateral (${times}) times`;
}
