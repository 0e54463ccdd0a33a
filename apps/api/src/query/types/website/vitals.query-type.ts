import type { Condition } from '@ledgerline/domain/counting/count';
import { BUCKET } from '@ledgerline/domain/counting/series-bucket';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { METRICS, pageVitals } from '@ledgerline/contracts/read-models/website-vitals';
import { joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { percentiles } from '@ledgerline/domain/counting/measures';
import { ranked } from '../../ranked';
import type { Table } from '@ledgerline/domain/counting/tables';
import { count, orNull, ratio, text } from '../../fields';
import { numberIn, numberOrNull, type SqlRow } from '../../sql-row';
import { byCounts, queryType, type QueryContext, type Question } from '../../query-type';
import { histogramsByDays, percentileFields, percentilesIn, PERCENTILES } from '../../sql/histograms';
import { columnsOfKind } from '../../sql/lists';
import { sumsByDays } from '../../sql/rollups';
import { bucketOfDay, lastDayOf } from '../../sql/series';
import { matches } from '../../sql/sessions';
import { listType } from '../../list-type';

const OF_SAMPLES = { of: 'samples', byDefault: 1 };
const VITALS = { category: 'Vitals', publicAccess: true, minimum: OF_SAMPLES } as const;

const MICRO = 1_000_000;

/** Of the metrics that filters select. */
const isWanted: Condition = {
  of({ size, field, question: { metricFilters } }) {
    const metrics = field('metric');
    const isOf = (unit: number) =>
      metricFilters.every(({ values, negated }) => values.includes(metrics[unit] ?? -1) !== negated);
    return new Uint8Array(size).map((_, unit) => (isOf(unit) ? 1 : 0));
  },
};

const { samples, micros } = counts.VITALS.measures;
const figures = { samples, ...percentiles('micros', PERCENTILES) };
const ofEnough = { where: isWanted, enough: OF_SAMPLES.of };
const byMetric = countOf({ ...counts.VITALS, ...ofEnough, measures: { ...figures, micros } });
const byBucket = countOf({
  ...counts.VITALS,
  where: isWanted,
  by: { bucket: BUCKET, ...counts.VITALS.by },
  measures: figures,
});

export const vitalsOverview = queryType({
  ...VITALS,
  name: 'vitals_overview',
  shape: 'list',
  description: 'Core Web Vitals: percentiles and average of each metric (CLS is a score, FPS a rate, others are ms)',
  fields: { metric_name: text, ...percentileFields, avg_value: orNull(ratio), samples: count },
  order: byCounts(['samples'], 'metric_name'),
  sources: { days: overviewByDays },
  sessionColumns: ranked(byMetric, { by: ['samples'], texts: {} }),
  row: (found) => ({
    ...measured(found),
    avg_value: numberIn(found, 'micros') / numberIn(found, 'samples') / MICRO,
  }),
});

export const vitalsByPage = listType({
  ...VITALS,
  name: 'vitals_by_page',
  description: 'Percentiles of each metric by page',
  labels: { fields: { page: text, metric_name: text }, of: (page) => ({ page }) },
  fields: { ...percentileFields, samples: count },
  days: {
    top: {
      columns: columnsOfKind('number', ['samples', 'metric']),
      rows(context, wanted) {
        const also = sql`${wanted}${ofMetrics(context)}`;
        return sumsByDays(context, pageVitals, { columns: ['samples'], by: ['value', 'metric'], also });
      },
    },
    bins: { model: pageVitals, column: 'bins', also: sql` and metric = r.metric` },
  },
  count: countOf({ ...counts.VITALS_OF_PAGES, ...ofEnough, measures: figures }),
  row: measured,
});

export const vitalsTimeSeries = queryType({
  ...VITALS,
  name: 'vitals_time_series',
  shape: 'series',
  splitBy: 'metric',
  description: 'Percentiles over time, a row for each bucket and each metric that was measured in the range',
  fields: { date: text, metric_name: orNull(text), ...percentileFields, samples: count },
  sources: { days: overTimeByDays },
  sessionColumns: { ...byBucket, count: (asked) => withEnough(byBucket.count(asked), asked.question) },
  row: measured,
});

function measured(found: SqlRow): Readonly<Record<string, unknown>> {
  const metric = METRICS[numberOrNull(found, 'metric') ?? -1];
  return { metric_name: metric ?? null, ...percentilesIn(found, MICRO) };
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

function overviewByDays(context: QueryContext): Sql {
  const every = sql` and value = ${EVERY_VALUE}`;
  const also = sql`${every}${ofMetrics(context)}`;
  const sums = sumsByDays(context, pageVitals, { columns: ['samples', 'micros'], by: ['metric'], also });
  const bins = histogramsByDays(context, pageVitals, 'bins', sql`${every} and metric = r.metric`);
  return sql`
select r.*, bins.*
from (${sums}) r cross join lateral (${bins}) bins
where r.samples >= ${context.minSamples}`;
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
