import type { Environment } from './environment';

/**
 * Export over OTLP, by the standard variables of OpenTelemetry. Those of the exporters (headers, timeout, compression,
 * certificates) and of the resource (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES) are read by the SDK itself.
 */
export interface TelemetrySettings {
  readonly protocol: (typeof PROTOCOLS)[number];
  /** Absent = no endpoint takes spans. */
  readonly traces?: {
    readonly sampler: (typeof SAMPLERS)[number];
    /** Share of the traces that are sampled, 0 to 1. */
    readonly ratio: number;
    readonly everyMs: number;
  };
  /** Absent = no endpoint takes metrics. */
  readonly metrics?: { readonly everyMs: number };
}

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const DAY_MS = 86_400_000;

/** Undefined without an endpoint. */
export function telemetrySettings(env: Environment): TelemetrySettings | undefined {
  const endpoint = (name: string) => env.httpUrl(`OTEL_EXPORTER_OTLP_${name}ENDPOINT`, '') !== '';
  const [all, forTraces, forMetrics] = [endpoint(''), endpoint('TRACES_'), endpoint('METRICS_')];
  const protocol = env.oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf');
  const traces = {
    sampler: env.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    ratio: ratio(env),
    everyMs: env.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, { min: 1, max: DAY_MS }),
  };
  const metrics = { everyMs: env.integer('OTEL_METRIC_EXPORT_INTERVAL', 60_000, { min: 100, max: DAY_MS }) };
  if (!all && !forTraces && !forMetrics) return undefined;
  return { protocol, ...(all || forTraces ? { traces } : {}), ...(all || forMetrics ? { metrics } : {}) };
}

function ratio(env: Environment): number {
  const value = env.optional('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const share = Number(value);
  if (/^[\d.]+$/.test(value) && share >= 0 && share <= 1) return share;
  return env.wrong(`OTEL_TRACES_SAMPLER_ARG is "${value}"; it must be a share from 0 to 1.`, 1);
}
