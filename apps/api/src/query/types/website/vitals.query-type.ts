import { METRIC_FILTER, METRICS } from '@ledgerline/contracts/attributes';
import { BUCKET } from '@ledgerline/domain/counting/series-bucket';
import { countOf } from '@ledgerline/domain/counting/count-of';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { listType, ranked } from '../../declaration/list-type';
import type { Table } from '@ledgerline/domain/counting/tables';
import { atLeast, numberIn, numberOrNull, orNull, ratio, text, type SqlRow } from '../../declaration/fields';
import { byCounts, queryType } from '../../declaration/query-type';
import { percentileFields, percentilesIn, PERCENTILES } from '../../sql/histograms';
import type { Question } from '../../declaration/query-context';

const VITALS = {
  category: 'Vitals',
  publicAccess: true,
  takes: { filters: [METRIC_FILTER] },
} as const;

const MICRO = 1_000_000;

const percentile = (percent: number) => ({ percentile: ['micros', percent] }) as const;

const figures = {
  samples: 'count',
  ...Object.fromEntries(Object.entries(PERCENTILES).map(([name, percent]) => [name, percentile(percent)])),
} as const;
const ofEnough = { only: 'passesMetricFilters', enough: 'samples' } as const;
const byMetric = countOf({ ...AGGREGATES.vitals, ...ofEnough, measures: { ...figures, micros: { sum: 'micros' } } });
const byBucket = countOf({
  ...AGGREGATES.vitals,
  only: ofEnough.only,
  by: { bucket: BUCKET, ...AGGREGATES.vitals.by },
  measures: figures,
});

export const vitalsOverview = queryType({
  ...VITALS,
  name: 'vitals_overview',
  shape: 'list',
  description: 'Core Web Vitals: percentiles and average of each metric (CLS is a score, FPS a rate, others are ms)',
  fields: { metric_name: text, ...percentileFields, avg_value: orNull(ratio), samples: atLeast(1) },
  order: byCounts(['samples'], 'metric_name'),
  sessionColumns: ranked(byMetric, { by: ['samples'], texts: {} }),
  row: (found) => ({
    ...measured(found),
    avg_value: numberIn(found, 'samples') === 0 ? null : numberIn(found, 'micros') / numberIn(found, 'samples') / MICRO,
  }),
});

export const vitalsByPage = listType({
  ...VITALS,
  name: 'vitals_by_page',
  description: 'Percentiles of each metric by page',
  labels: { fields: { page: text, metric_name: text }, of: (page) => ({ page }) },
  fields: { ...percentileFields, samples: atLeast(1) },
  count: countOf({ ...AGGREGATES.vitals_of_pages, ...ofEnough, measures: figures }),
  row: measured,
});

export const vitalsTimeSeries = queryType({
  ...VITALS,
  name: 'vitals_time_series',
  shape: 'series',
  description: 'Percentiles over time, a row for each bucket and each metric that was measured in the range',
  fields: {
    date: text,
    metric_name: { ...orNull(text), splitBy: 'metric' },
    ...percentileFields,
    samples: atLeast(1),
  },
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
