import { randomUUID } from 'node:crypto';
import type { HrTime } from '@opentelemetry/api';
import { setGlobalErrorHandler, type ExportResult, ExportResultCode, millisToHrTime } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  emptyResource,
} from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  AggregationTemporality,
  DataPointType,
  type CollectionResult,
  type DataPoint,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../config/service-settings';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import type { Metrics, MetricFamily } from '../metrics/metrics';
import { useTracer } from '../tracing/tracing';
import { OpenTelemetryTracer } from './open-telemetry';

/** The exporters that were started; each resolves when everything is exported, or cannot be. */
export interface Sdk {
  stopMetrics(): Promise<void>;
  stopTraces(): Promise<void>;
}

interface SdkParts {
  readonly name: string;
  readonly settings: TelemetrySettings;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Exports the spans and the metrics of this process from now on. */
export async function startSdk({ name, settings, metrics, logger }: SdkParts): Promise<Sdk> {
  const outage = new OutageLog(logger, {
    began: 'telemetry cannot be exported; spans and metrics are lost until it can',
    ended: 'telemetry is exported again',
  });
  setGlobalErrorHandler((error) => outage.failed(error));
  const exporters = await openExporters(settings.protocol, outage);
  const own = resourceFromAttributes({ 'service.name': `ledgerline-${name}`, 'service.instance.id': randomUUID() });
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const { traces, metrics: measured } = settings;
  const meters = measured && meterProvider(exporters.metrics(), measured.everyMs);
  const spans = traces && tracerProvider(exporters.spans(), traces);
  if (spans) useTracer(new OpenTelemetryTracer(spans.getTracer('ledgerline')));
  return {
    stopMetrics: async () => meters?.shutdown(),
    stopTraces: async () => spans?.shutdown(),
  };

  function meterProvider(exporter: ReturnType<typeof exporters.metrics>, exportIntervalMillis: number): MeterProvider {
    const metricProducers = [new RegistryProducer(metrics)];
    const exportTimeoutMillis = Math.min(exportIntervalMillis, 30_000);
    const times = { exportIntervalMillis, exportTimeoutMillis };
    return new MeterProvider({
      resource,
      readers: [new PeriodicExportingMetricReader({ exporter, metricProducers, ...times })],
    });
  }

  function tracerProvider(exporter: ReturnType<typeof exporters.spans>, sampling: Sampling): TracerProvider {
    return new TracerProvider({
      resource,
      sampler: samplerOf(sampling),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: sampling.everyMs })],
    });
  }
}

type Sampling = NonNullable<TelemetrySettings['traces']>;

function samplerOf({ sampler, ratio }: Sampling): Sampler {
  const root = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  };
  switch (sampler) {
    case 'always_on':
    case 'always_off':
    case 'traceidratio':
      return root[sampler];
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: root.always_on });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: root.always_off });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: root.traceidratio });
  }
}

/** Exporters of a protocol; they read endpoint, headers, compression and certificates from OTEL_EXPORTER_OTLP_* themselves. */
async function openExporters(protocol: TelemetrySettings['protocol'], outage: OutageLog) {
  const [{ OTLPTraceExporter }, { OTLPMetricExporter }] = await (protocol === 'http/json'
    ? Promise.all([
        import('@opentelemetry/exporter-trace-otlp-http'),
        import('@opentelemetry/exporter-metrics-otlp-http'),
      ])
    : Promise.all([
        import('@opentelemetry/exporter-trace-otlp-proto'),
        import('@opentelemetry/exporter-metrics-otlp-proto'),
      ]));
  return {
    spans: (): SpanExporter => reporting(new OTLPTraceExporter(), outage),
    metrics: (): PushMetricExporter => reporting(new OTLPMetricExporter(), outage),
  };
}

interface Exporting<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
}

/** Logs when exporting begins to fail and when it works again. */
function reporting<Items, Exporter extends Exporting<Items>>(exporter: Exporter, outage: OutageLog): Exporter {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code === ExportResultCode.SUCCESS) outage.succeeded();
      else outage.failed(result.error);
      done(result);
    });
  return exporter;
}

type Sample = MetricFamily['values'][number];

/** Gives an exporter what `/metrics` shows, under the same names: every metric is declared once, for both. */
class RegistryProducer implements MetricProducer {
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
