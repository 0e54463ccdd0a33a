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
    const families = await this.metrics.families();
    const times = { startTime: this.startedAt, endTime: millisToHrTime(Date.now()) };
    const metrics = families.map((family) => metricOf(family, times));
    const scopeMetrics = [{ scope: { name: 'ledgerline' }, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }
}

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

/** The registry lists a histogram sample by sample: cumulative counts by upper bound, the sum, the count. */
function histogramPoints(samples: readonly Sample[], times: Times): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram> & { reached: number }>();
  for (const { metricName = '', labels, value } of samples) {
    const { le, ...own } = labels;
    const attributes = textsOf(own);
    const key = JSON.stringify(attributes);
    let point = points.get(key);
    if (!point)
      points.set(
        key,
        (point = { ...times, attributes, reached: 0, value: { buckets: { boundaries: [], counts: [] }, count: 0 } }),
      );
    if (metricName.endsWith('_sum')) point.value.sum = value;
    else if (metricName.endsWith('_count')) point.value.count = value;
    else {
      if (le !== '+Inf') point.value.buckets.boundaries.push(Number(le));
      point.value.buckets.counts.push(value - point.reached);
      point.reached = value;
    }
  }
  return [...points.values()].map(({ reached: _, ...point }) => point);
}

const textsOf = (labels: Sample['labels']): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
