import type { HrTime } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Metrics, MetricFamily } from '../metrics/metrics';

type Sample = MetricFamily['values'][number];

/** Gives an exporter what `/metrics` shows, under the same names: every metric is declared once, for both. */
export class RegistryProducer implements MetricProducer {
  private readonly startedAt = millisToHrTime(Date.now() - process.uptime() * 1_000);

  constructor(private readonly metrics: Pick<Metrics, 'families'>) {}

  async collect(): Promise<CollectionResult> {
    const families = (await this.metrics.families()).map(withNumbers).filter(({ values }) => values.length > 0);
    const times = { startTime: this.startedAt, endTime: millisToHrTime(Date.now()) };
    const metrics = families.map((family) => metricOf(family, times));
    const scopeMetrics = [{ scope: { name: 'ledgerline' }, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }
}

/** Without samples such as the mean of nothing. */
const withNumbers = (family: MetricFamily): MetricFamily => ({
  ...family,
  values: family.values.filter(({ value }) => Number.isFinite(value)),
});

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** @throws Error for a summary, of which there is none: its quantiles cannot be added up over processes */
function metricOf({ name, help, type, values }: MetricFamily, times: Times): MetricData {
  const descriptor = { name, description: help, unit: '', valueType: 1 };
  const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  const points = () => values.map(({ labels, value }) => ({ ...times, attributes: textsOf(labels), value }));
  switch (type) {
    case 'counter':
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(values, times) };
    case 'summary':
      throw new Error(`The metric ${name} is a ${type}, which is not exported.`);
  }
}

/** The registry lists a histogram sample by sample: counts up to each bound, the sum, the count. */
function histogramPoints(samples: readonly Sample[], times: Times): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram>>();
  for (const { metricName = '', labels, value } of samples) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const point = points.get(key) ?? newPoint(own, times);
    points.set(key, point);
    const { buckets } = point.value;
    if (metricName.endsWith('_sum')) point.value.sum = value;
    else if (metricName.endsWith('_count')) point.value.count = value;
    else {
      if (le !== '+Inf') buckets.boundaries.push(Number(le));
      buckets.counts.push(value - buckets.counts.reduce((sum, count) => sum + count, 0));
    }
  }
  return [...points.values()];
}

const newPoint = (labels: Sample['labels'], times: Times): DataPoint<Histogram> => ({
  ...times,
  attributes: textsOf(labels),
  value: { buckets: { boundaries: [], counts: [] }, count: 0 },
});

const textsOf = (labels: Sample['labels']): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
