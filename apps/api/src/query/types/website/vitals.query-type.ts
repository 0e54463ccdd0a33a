import { aggregate, BUCKET } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES } from '@ledgerline/contracts/aggregates/website-aggregates';
import { METRIC_FILTER, VITAL_METRICS } from '@ledgerline/contracts/attributes';
import {
  atLeast,
  numberCell,
  numberOrNull,
  nullableField,
  ratio,
  textField,
  type SqlRow,
} from '../../declaration/fields';
import { listQueryType } from '../../declaration/list-type';
import { byCounts, queryType } from '../../declaration/query-type';
import { percentileFields, percentilesIn, PERCENTILES } from '../../sql/histograms';

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
const byMetric = aggregate({ ...AGGREGATES.vitals, ...ofEnough, measures: { ...figures, micros: { sum: 'micros' } } });
const byBucket = aggregate({
  ...AGGREGATES.vitals,
  ...ofEnough,
  by: { bucket: BUCKET, ...AGGREGATES.vitals.by },
  measures: figures,
});

export const vitalsOverview = queryType({
  ...VITALS,
  name: 'vitals_overview',
  shape: 'list',
  description: 'Core Web Vitals: percentiles and average of each metric (CLS is a score, FPS a rate, others are ms)',
  fields: { metric_name: textField, ...percentileFields, avg_value: nullableField(ratio), samples: atLeast(1) },
  order: byCounts(['samples'], 'metric_name'),
  counting: { plan: { kind: 'rank', of: byMetric, by: ['samples'] } },
  row: (found) => ({
    ...measured(found),
    avg_value:
      numberCell(found, 'samples') === 0 ? null : numberCell(found, 'micros') / numberCell(found, 'samples') / MICRO,
  }),
});

export const vitalsByPage = listQueryType({
  ...VITALS,
  name: 'vitals_by_page',
  description: 'Percentiles of each metric by page',
  labels: { fields: { page: textField, metric_name: textField }, of: (page) => ({ page }) },
  fields: { ...percentileFields, samples: atLeast(1) },
  count: aggregate({ ...AGGREGATES.vitals_of_pages, ...ofEnough, measures: figures }),
  row: measured,
});

export const vitalsTimeSeries = queryType({
  ...VITALS,
  name: 'vitals_time_series',
  shape: 'series',
  description: 'Percentiles over time, a row for each bucket and each metric that was measured in the range',
  fields: {
    date: textField,
    metric_name: { ...nullableField(textField), splitBy: 'metric' },
    ...percentileFields,
    samples: atLeast(1),
  },
  counting: { plan: byBucket },
  row: measured,
});

function measured(found: SqlRow): Readonly<Record<string, unknown>> {
  const metric = VITAL_METRICS[numberOrNull(found, 'metric') ?? -1];
  return { metric_name: metric ?? null, ...percentilesIn(found, MICRO) };
}
