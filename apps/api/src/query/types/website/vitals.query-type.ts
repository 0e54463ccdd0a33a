import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { METRICS, pageVitals, vitals } from '@ledgerline/contracts/read-models/website-vitals';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberOrNull, orNull, ratio, text, textIn, type SqlRow } from '../../fields';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { eventsIn } from '../../sql/event-facts';
import { histogramsByDays } from '../../sql/histograms';
import { sumsByDays } from '../../sql/blocks';
import { percentileFields, percentilesIn, percentilesOf } from '../../sql/percentiles';
import { topNWithTies, TOTAL_ROWS } from '../../sql/ranked';
import { bucketOf, bucketOfDay, lastDayOf, spanOf } from '../../sql/series';
import { matches } from '../../sql/sessions';

const MICRO = 1_000_000;

export const vitalsOverview = queryType({
  name: 'vitals_overview',
  about: 'website',
  shape: 'list',
  category: 'Vitals',
  description: 'Core Web Vitals: percentiles and average of each metric (CLS is a score, FPS a rate, others are ms)',
  publicAccess: true,
  fields: { metric_name: text, ...percentileFields, avg_value: orNull(ratio), samples: count },
  order: byCounts(['samples'], 'metric_name'),
  sources: { days: overviewByDays, facts: overview },
  row(found) {
    const average = numberOrNull(found, 'average');
    return { ...measured(found), avg_value: average === null ? null : average / MICRO };
  },
});

export const vitalsByPage = queryType({
  name: 'vitals_by_page',
  about: 'website',
  shape: 'list',
  category: 'Vitals',
  description: 'Percentiles of each metric by page',
  publicAccess: true,
  fields: { page: text, metric_name: text, ...percentileFields, samples: count },
  order: byCounts(['samples'], 'page', 'metric_name'),
  sources: { days: byPageAndDays, facts: byPage },
  row: (found) => ({ ...measured(found), page: textIn(found, 'text') }),
});

export const vitalsTimeSeries = queryType({
  name: 'vitals_time_series',
  about: 'website',
  shape: 'series',
  splitBy: 'metric',
  category: 'Vitals',
  description: 'Percentiles over time, a row for each bucket and each metric that was measured in the range',
  publicAccess: true,
  fields: { date: text, metric_name: orNull(text), ...percentileFields, samples: count },
  sources: { days: overTimeByDays, facts: overTime },
  row: measured,
});

function measured(found: SqlRow): Readonly<Record<string, unknown>> {
  const metric = METRICS[numberOrNull(found, 'metric') ?? -1];
  return { metric_name: metric ?? null, ...percentilesIn(found, (micros) => micros / MICRO, binValue) };
}

const PERCENTILES = percentilesOf(sql`e.micros`);

const ofMetrics = ({ metricFilters }: QueryContext): Sql =>
  joinSql(
    metricFilters.map((filter) => sql` and ${matches(sql`metric`, filter)}`),
    '',
  );

/** Of how many samples a row must be; the figures beside rows that are shown are whatever they were. */
const leastOf = ({ minSamples, beside }: QueryContext): number => (beside ? 1 : minSamples);

function overview(context: QueryContext): Sql {
  return sql`
select e.metric, count(*)::float8 as samples, avg(e.micros)::float8 as average, ${PERCENTILES}
from ${eventsIn(context, vitals, context)}${ofMetrics(context)}
group by e.metric having count(*) >= ${leastOf(context)}`;
}

const SUMS = ['samples', 'micros'];
const OF_EVERY_PAGE = sql` and value = ${EVERY_VALUE}`;

/** The histograms of the row `r` of a page, or of all pages, and a metric. */
const binsOf = (context: QueryContext, page: Sql): Sql =>
  histogramsByDays(context, pageVitals, 'bins', sql` and value = ${page} and metric = r.metric`);

function overviewByDays(context: QueryContext): Sql {
  const also = sql`${OF_EVERY_PAGE}${ofMetrics(context)}`;
  const sums = sumsByDays(context, pageVitals, { columns: SUMS, by: ['metric'], also });
  return sql`
select r.metric, r.samples, r.micros / r.samples as average, bins.*
from (${sums}) r cross join lateral (${binsOf(context, sql`${EVERY_VALUE}`)}) bins
where r.samples >= ${leastOf(context)}`;
}

function byPageAndDays(context: QueryContext): Sql {
  const sums = sumsByDays(context, pageVitals, {
    columns: ['samples'],
    by: ['value', 'metric'],
    also: sql` and value > ${EVERY_VALUE}${ofMetrics(context)}`,
  });
  return sql`
select coalesce(d.text, '') as text, r.metric, r.samples, r.total_rows::float8 as total_rows, bins.*
from (
  select *, ${TOTAL_ROWS} from (${sums}) s where samples >= ${leastOf(context)}${topNWithTies(['samples'], context)}
) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}
cross join lateral (${binsOf(context, sql`r.value`)}) bins`;
}

/** One row of a day is one bucket. A bucket of too few samples keeps its row, without percentiles. */
function overTimeByDays(context: QueryContext): Sql {
  const { table, website, startDate } = context;
  return sql`
select ${bucketOfDay(context, sql`day`)} as bucket, metric, samples::float8 as samples,
  case when samples >= ${leastOf(context)} then array_send(bins) end as added_bins, null::bytea as subtracted_bins
from ${table(pageVitals)}
where website = ${website} and span = 1 and day between ${startDate}::date and ${lastDayOf(context)}::date
  and value = ${EVERY_VALUE}${ofMetrics(context)}`;
}

function byPage(context: QueryContext): Sql {
  return sql`
with grouped as (
  select e.path as value, e.metric, count(*) as samples, ${PERCENTILES}
  from ${eventsIn(context, vitals, context)}${ofMetrics(context)}
  group by 1, 2 having count(*) >= ${leastOf(context)}
)
select coalesce(d.text, '') as text, r.metric, r.samples::float8 as samples, r.percentiles,
  r.total_rows::float8 as total_rows
from (select *, ${TOTAL_ROWS} from grouped${topNWithTies(['samples'], context)}) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}`;
}

function overTime(context: QueryContext): Sql {
  return sql`
select bucket, metric, samples, case when samples >= ${leastOf(context)} then percentiles end as percentiles
from (
  select ${bucketOf(context, sql`e.at`)} as bucket, e.metric, count(*)::float8 as samples, ${PERCENTILES}
  from ${eventsIn(context, vitals, spanOf(context))}${ofMetrics(context)}
  group by 1, 2
) measured order by 1, 2`;
}
