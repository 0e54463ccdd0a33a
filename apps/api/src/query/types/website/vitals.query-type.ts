import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { METRICS, pageVitals } from '@ledgerline/contracts/read-models/website-vitals';
import { binValue } from '@ledgerline/domain/sessions/duration-bins';
import { joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, numberOrNull, orNull, ratio, text, textIn, type SqlRow } from '../../fields';
import { counted, rowsOf } from '../../counting/counted';
import { BUCKET } from '../../counting/keys';
import { COUNT, mean, percentiles, type Condition } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import type { Table } from '../../counting/tables';
import { byCounts, queryType, type QueryContext, type Question } from '../../query-type';
import { histogramsByDays } from '../../sql/histograms';
import { sumsByDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { percentileFields, percentilesIn, PERCENTILES } from '../../sql/percentiles';
import { bucketOfDay, lastDayOf } from '../../sql/series';
import { matches } from '../../sql/sessions';

const MICRO = 1_000_000;

/** Of the metrics that filters select. */
const isWanted: Condition = {
  fields: [],
  of({ size, field, question: { metricFilters } }) {
    const metrics = field('metric');
    const isOf = (unit: number) =>
      metricFilters.every(({ values, negated }) => values.includes(metrics[unit] ?? -1) !== negated);
    return new Uint8Array(size).map((_, unit) => (isOf(unit) ? 1 : 0));
  },
};

const figures = { samples: COUNT, ...percentiles('micros', PERCENTILES) };
const ofEnough = {
  of: 'vitals',
  where: isWanted,
  atLeast: { samples: ({ minSamples }: Question) => minSamples },
} as const;
const byMetric = counted({ ...ofEnough, by: { metric: 'metric' }, measures: { ...figures, average: mean('micros') } });
const byPage = counted({ ...ofEnough, by: { value: 'path', metric: 'metric' }, measures: figures });
const byBucket = rowsOf(
  counted({ of: 'vitals', where: isWanted, by: { bucket: BUCKET, metric: 'metric' }, measures: figures }),
);

export const vitalsOverview = queryType({
  name: 'vitals_overview',
  about: 'website',
  shape: 'list',
  category: 'Vitals',
  description: 'Core Web Vitals: percentiles and average of each metric (CLS is a score, FPS a rate, others are ms)',
  publicAccess: true,
  fields: { metric_name: text, ...percentileFields, avg_value: orNull(ratio), samples: count },
  order: byCounts(['samples'], 'metric_name'),
  sources: { days: overviewByDays },
  sessionColumns: ranked(byMetric, { by: ['samples'], texts: {} }),
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
  sources: { days: byPageAndDays },
  sessionColumns: ranked(byPage, { by: ['samples'] }),
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
  sources: { days: overTimeByDays },
  sessionColumns: {
    ...byBucket,
    count: (sessions, question, lookup) => withEnough(byBucket.count(sessions, question, lookup), question),
  },
  row: measured,
});

function measured(found: SqlRow): Readonly<Record<string, unknown>> {
  const metric = METRICS[numberOrNull(found, 'metric') ?? -1];
  return { metric_name: metric ?? null, ...percentilesIn(found, (micros) => micros / MICRO, binValue) };
}

/** A bucket of too few samples keeps its row, without percentiles. */
function withEnough({ columns, ...table }: Table, { minSamples }: Question): Table {
  const samples = columns['samples'] ?? new Float64Array();
  const without = Object.keys(percentileFields).map((name) => {
    const values = columns[name]?.map((value, row) => ((samples[row] ?? 0) >= minSamples ? value : NaN));
    return [name, values ?? new Float64Array()] as const;
  });
  return { ...table, columns: { ...columns, ...Object.fromEntries(without) } };
}

const ofMetrics = ({ metricFilters }: QueryContext): Sql =>
  joinSql(
    metricFilters.map((filter) => sql` and ${matches(sql`metric`, filter)}`),
    '',
  );

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
where r.samples >= ${context.minSamples}`;
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
  select *, ${TOTAL_ROWS} from (${sums}) s where samples >= ${context.minSamples}${topNWithTies(['samples'], context)}
) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}
cross join lateral (${binsOf(context, sql`r.value`)}) bins`;
}

/** One row of a day is one bucket. */
function overTimeByDays(context: QueryContext): Sql {
  const { table, website, startDate } = context;
  return sql`
select ${bucketOfDay(context, sql`day`)} as bucket, metric, samples::float8 as samples,
  case when samples >= ${context.minSamples} then array_send(bins) end as added_bins, null::bytea as subtracted_bins
from ${table(pageVitals)}
where website = ${website} and span = 1 and day between ${startDate}::date and ${lastDayOf(context)}::date
  and value = ${EVERY_VALUE}${ofMetrics(context)}`;
}
