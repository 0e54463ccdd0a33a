import { randomUUID } from 'node:crypto';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../config/telemetry-settings';
import { OutageLog } from '../logging/outage-log';
import type { Logger } from '../logging/logger';
import type { Metrics } from '../metrics/metrics';
import { useTracer } from '../tracing/tracing';
import { openExporters } from './exporters';
import { OpenTelemetryTracer } from './open-telemetry';
import { RegistryProducer } from './registry-producer';

/** What was started; each resolves when everything is exported, or cannot be. */
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
