import { isNativeError } from 'node:util/types';
import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import { StartFailure, StoreUnreachable } from '@ledgerline/platform/config/start-failure';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';

interface Details {
  readonly name: string;
  readonly message: string;
  /** The name of the protocol's error, such as TOPIC_AUTHORIZATION_FAILED. */
  readonly type: string;
  readonly code: string;
}

/** An error of the driver, and what caused it, outermost first. */
export function causesOf(error: unknown): readonly Details[] {
  const causes: Details[] = [];
  for (let cause: unknown = error; causes.length < 8 && isError(cause);) {
    const { name, message, type, code, errors }: ErrorOfDriver = cause;
    causes.push({ name, message, type: textOf(type), code: textOf(code) });
    cause = cause.cause ?? errors?.[0];
  }
  return causes;
}

/** Errors of the driver have some of these fields. */
interface ErrorOfDriver extends Error {
  readonly type?: unknown;
  readonly code?: unknown;
  readonly errors?: readonly unknown[];
}

const isError = (value: unknown): value is ErrorOfDriver => isNativeError(value) || value instanceof Error;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns whether Kafka or the way to it failed, and not this program. */
export const isOfKafka = (error: unknown): boolean =>
  causesOf(error).some(({ name, type, code, message }) => {
    const isOfDriver = name.startsWith('KafkaJS') && !/TypeError|RangeError|ReferenceError/.test(message);
    return isOfDriver || type !== '' || /^E[A-Z_]+$/.test(code);
  });

/**
 * Returns whether a batch that failed so may have reached the topic: it was sent, and the answer is missing or is this
 * one.
 */
export const mayBeWritten = (error: unknown): boolean =>
  causesOf(error).some(
    ({ name, type, code, message }) =>
      /^(REQUEST_TIMED_OUT|NOT_ENOUGH_REPLICAS_AFTER_APPEND)$/.test(type) ||
      /RequestTimeout|ConnectionClosed/.test(name) ||
      /^(ECONNRESET|EPIPE)$/.test(code) ||
      message.includes('Closed connection'),
  );

/** Returns whether the topic or the broker takes no batch of this size. */
export const isTooLarge = (error: unknown): boolean =>
  causesOf(error).some(({ type }) => type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE');

export const hasKafkaErrorType = (error: unknown, type: string): boolean =>
  causesOf(error).some((cause) => cause.type === type);

/** While it runs: whether the topic is gone, or the broker. */
export const topicUnavailable = (cause: unknown): LogUnavailable =>
  new LogUnavailable(
    hasKafkaErrorType(cause, 'UNKNOWN_TOPIC_OR_PARTITION')
      ? 'The topic of KAFKA_TOPIC does not exist any more.'
      : 'Kafka is unreachable',
    { cause },
  );

/** A StartFailure with one sentence that names the variable, StoreAway for what may pass; other errors as they are. */
export function explainedBy(settings: KafkaSettings, error: unknown): unknown {
  if (error instanceof StartFailure) return error;
  const causes = causesOf(error);
  const text = causes.map(({ name, message, type, code }) => `${name} ${type} ${code} ${message}`).join('\n');
  const find = (sentences: typeof WRONG_SETUP) => sentences.find(([pattern]) => pattern.test(text))?.[1](settings);
  const wrongSetup = find(WRONG_SETUP);
  if (wrongSetup !== undefined) return new StartFailure(wrongSetup, { cause: error });
  const away = find(AWAY) ?? (isOfKafka(error) ? other(causes)(settings) : undefined);
  return away === undefined ? error : new StoreUnreachable(away, { cause: error });
}

const other =
  (causes: readonly Details[]) =>
  (settings: KafkaSettings): string =>
    `Kafka at KAFKA_BROKERS (${listed(settings)}) cannot be used (${causes.at(-1)?.message ?? 'unknown reason'}).`;

const listed = ({ brokers }: KafkaSettings): string => brokers.join(', ');

/** Failures that stay until something is set up otherwise; the first that fits counts. */
const WRONG_SETUP: readonly (readonly [RegExp, (settings: KafkaSettings) => string])[] = [
  [
    /mechanism is not supported|UNSUPPORTED_SASL_MECHANISM/i,
    ({ sasl }) => `Kafka does not offer KAFKA_SASL_MECHANISM "${sasl?.mechanism ?? ''}".`,
  ],
  [
    /ILLEGAL_SASL_STATE/,
    (settings) =>
      `Kafka at KAFKA_BROKERS (${listed(settings)}) takes no user; unset KAFKA_SASL_MECHANISM or change the port.`,
  ],
  [
    /SASL_AUTHENTICATION_FAILED|SASLAuthentication|SASL \S+ authentication failed/i,
    () => 'Kafka refuses the user or the password; check KAFKA_USERNAME, KAFKA_PASSWORD and KAFKA_SASL_MECHANISM.',
  ],
  [
    /TOPIC_AUTHORIZATION_FAILED|CLUSTER_AUTHORIZATION_FAILED/,
    ({ topic, sasl }) =>
      `Kafka does not let ${whoIs(sasl)} create, read or write the topic ${topic}; give that user these rights or change KAFKA_TOPIC.`,
  ],
  [
    /GROUP_AUTHORIZATION_FAILED/,
    ({ topic, sasl }) =>
      `Kafka does not let ${whoIs(sasl)} use the consumer group ${copierConsumerGroup(topic)}; KAFKA_USERNAME needs it.`,
  ],
  [
    /DoesNotSupportApiKey|UNSUPPORTED_VERSION|UnsupportedMagicByte/,
    (settings) => `The Kafka at KAFKA_BROKERS (${listed(settings)}) is too old; it must be version 2.1 or later.`,
  ],
  [
    /INVALID_REPLICATION_FACTOR/,
    ({ replicationFactor }) =>
      `Kafka has too few brokers for ${replicationFactor ?? 'these'} replicas; check KAFKA_REPLICATION_FACTOR.`,
  ],
  [
    /certificate|CERT_|ERR_TLS_CERT/i,
    () => 'The certificate of Kafka is not trusted; check KAFKA_CA_FILE and the host names in KAFKA_BROKERS.',
  ],
  [
    /EPROTO|wrong version number|packet length too long|before secure TLS|SSL routines|ERR_SSL/i,
    (settings) =>
      `Kafka at KAFKA_BROKERS (${listed(settings)}) does not speak TLS; unset KAFKA_TLS or change the port.`,
  ],
];

/** Failures that may pass. */
const AWAY: typeof WRONG_SETUP = [
  [/ENOTFOUND|EAI_AGAIN/, (settings) => `A host of KAFKA_BROKERS (${listed(settings)}) is unknown.`],
  [
    /ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|Connection timeout|BrokerNotFound/i,
    (settings) => `No broker of KAFKA_BROKERS (${listed(settings)}) can be reached; check that Kafka is running.`,
  ],
  [/ConnectionClosed|ECONNRESET|Closed connection|RequestTimeout|Request \S+ timed out/i, closed],
];

/** Returns what a broker does that wants TLS or a login, and gets neither. */
function closed(settings: KafkaSettings): string {
  const { tls, sasl } = settings;
  const hint = tls === undefined ? 'KAFKA_TLS' : sasl === undefined ? 'KAFKA_SASL_MECHANISM' : 'KAFKA_BROKERS';
  return `Kafka at KAFKA_BROKERS (${listed(settings)}) closes the connection; check ${hint}.`;
}

const whoIs = (sasl: KafkaSettings['sasl']): string => (sasl === undefined ? 'anonymous clients' : 'KAFKA_USERNAME');

/** The consumer group of the copiers of a topic. */
export const copierConsumerGroup = (topic: string): string => `${topic}-copier`;
