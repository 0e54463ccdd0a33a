import type { ExportResult } from '@opentelemetry/core';
import { ExportResultCode } from '@opentelemetry/core';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../config/telemetry-settings';
import type { OutageLog } from '../logging/outage-log';

/** Exporters of a protocol; they read endpoint, headers, compression and certificates from OTEL_EXPORTER_OTLP_* themselves. */
export async function openExporters(protocol: TelemetrySettings['protocol'], outage: OutageLog) {
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
