import type { Environment } from './environment';

/** The way in which mails leave: by SMTP, into files of the data directory, or not at all. */
export type MailSettings =
  | { readonly by: 'smtp'; readonly url: string; readonly from: string }
  | { readonly by: 'files' }
  | { readonly by: 'nothing' };

const URL_EXAMPLE = 'smtps://user:password@mail.example.com:465';
const ADDRESS = String.raw`[^\s<>@,;"]+@[^\s<>@,;"]+`;
const SENDER = new RegExp(String.raw`^(?:${ADDRESS}|[^<>\p{Cc}]*<${ADDRESS}>)$`, 'u');

export function mailSettings(env: Environment): MailSettings {
  const toFiles = env.flag('MAIL_TO_FILES');
  const url = env.optional('SMTP_URL');
  const from = env.optional('MAIL_FROM');
  if (url === undefined && from === undefined) return { by: toFiles ? 'files' : 'nothing' };
  if (url === undefined) env.wrong(`MAIL_FROM is set without SMTP_URL, which must be ${URL_EXAMPLE} or the like.`);
  if (from === undefined) env.wrong('MAIL_FROM is missing; with SMTP_URL it must be the sender of the mails.');
  if (from !== undefined && !SENDER.test(from))
    env.wrong(`MAIL_FROM is "${from}"; it must be an address such as Ledgerline <stats@example.com>.`);
  return { by: 'smtp', url: env.connection('SMTP_URL', url ?? '', /^smtps?:\/\/./, URL_EXAMPLE), from: from ?? '' };
}

/** The Kafka that takes what trackers receive. */
export interface KafkaSettings {
  /** `host:port` of at least one broker. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** The replicas of a topic that is created; absent = 3, or as many as there are brokers. */
  readonly replicationFactor: number | undefined;
  /** The time for which a topic that is created keeps its messages. */
  readonly retentionHours: number;
  /** Absent = no TLS; `caFile` = a file with the certificates that are trusted instead of those of the system. */
  readonly tls: { readonly caFile: string | undefined } | undefined;
  readonly sasl: KafkaCredentials | undefined;
  /** KEY_PEPPER, from which the key of the tags of messages is derived. */
  readonly secret: string;
}

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

interface KafkaCredentials {
  readonly mechanism: (typeof MECHANISMS)[number];
  readonly username: string;
  readonly password: string;
}

const BROKER = /^(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})$/;
const TOPIC = /^[\w.-]{1,249}$/;
const WEEK_HOURS = 7 * 24;

/** Undefined unless INTAKE_LOG is `kafka`, which it is by default where KAFKA_BROKERS is set. */
export function kafkaSettings(env: Environment): KafkaSettings | undefined {
  const byDefault = env.optional('KAFKA_BROKERS') === undefined ? 'postgres' : 'kafka';
  if (env.oneOf('INTAKE_LOG', ['postgres', 'kafka'], byDefault) === 'postgres') return undefined;
  return {
    brokers: brokers(env),
    topic: topic(env),
    replicationFactor: env.integer('KAFKA_REPLICATION_FACTOR', undefined, { min: 1, max: 100 }),
    retentionHours: env.integer('KAFKA_RETENTION_HOURS', WEEK_HOURS, { min: 1, max: 100 * WEEK_HOURS }),
    tls: tls(env),
    sasl: credentials(env),
    secret: env.optional('KEY_PEPPER') ?? '', // where it is missing, that is reported
  };
}

function brokers(env: Environment): readonly string[] {
  const what = 'brokers such as kafka-1:9092,kafka-2:9092';
  const value = env.required('KAFKA_BROKERS', `${what} with INTAKE_LOG=kafka`);
  const addresses = value.split(',').map((address) => address.trim());
  if (value === '' || addresses.every((address) => Number(BROKER.exec(address)?.[1]) <= 65_535)) return addresses;
  return env.wrong(`KAFKA_BROKERS is "${value}"; it must be a list of ${what}.`, []);
}

function topic(env: Environment): string {
  const name = env.optional('KAFKA_TOPIC') ?? 'ledgerline-intake';
  if (TOPIC.test(name) && name !== '.' && name !== '..') return name;
  return env.wrong(`KAFKA_TOPIC is "${name}"; it must be up to 249 letters, digits, dots, _ and -.`, name);
}

function tls(env: Environment): KafkaSettings['tls'] {
  const isWanted = env.flag('KAFKA_TLS');
  const caFile = env.existingFile('KAFKA_CA_FILE');
  if (!isWanted && caFile !== undefined) env.wrong('KAFKA_CA_FILE is set without KAFKA_TLS=1, which it needs.');
  return isWanted ? { caFile } : undefined;
}

function credentials(env: Environment): KafkaCredentials | undefined {
  const username = env.optional('KAFKA_USERNAME');
  const password = env.optional('KAFKA_PASSWORD');
  const isNamed = env.optional('KAFKA_SASL_MECHANISM') !== undefined;
  const mechanism = env.oneOf('KAFKA_SASL_MECHANISM', MECHANISMS, 'plain');
  if (!isNamed && username === undefined && password === undefined) return undefined;
  if (username === undefined) env.wrong('KAFKA_USERNAME is missing; it belongs to KAFKA_PASSWORD and its mechanism.');
  if (password === undefined) env.wrong('KAFKA_PASSWORD is missing; it belongs to KAFKA_USERNAME and its mechanism.');
  if (!isNamed)
    env.wrong(`KAFKA_SASL_MECHANISM is missing; with KAFKA_USERNAME it is one of ${MECHANISMS.join(', ')}.`);
  return { mechanism, username: username ?? '', password: password ?? '' };
}

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
  const all = endpoint('');
  const forTraces = endpoint('TRACES_');
  const forMetrics = endpoint('METRICS_');
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
