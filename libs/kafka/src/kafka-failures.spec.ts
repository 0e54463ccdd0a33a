import type { KafkaSettings } from '@ledgerline/platform/config/service-settings';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { explainedBy, isOfKafka, isTooLarge } from './kafka-failures';

const SETTINGS: KafkaSettings = {
  brokers: ['kafka-1:9092'],
  secret: 'pepper',
  topic: 'hits',
  replicationFactor: 3,
  retentionHours: 168,
  tls: undefined,
  sasl: { mechanism: 'plain', username: 'me', password: 'hidden' },
};

const failure = (name: string, details: object = {}, cause?: Error) =>
  Object.assign(new Error('it failed'), { name, ...details, ...(cause ? { cause } : {}) });
const exceeded = (cause: Error) => failure('KafkaJSNumberOfRetriesExceeded', {}, cause);

describe('a failure of Kafka at the start', () => {
  it.each<[string, Error]>([
    [
      'KAFKA_SASL_MECHANISM',
      failure('KafkaJSSASLAuthenticationError', { message: 'The PLAIN mechanism is not supported' }),
    ],
    ['KAFKA_PASSWORD', failure('KafkaJSSASLAuthenticationError', { message: 'SASL PLAIN authentication failed' })],
    ['KAFKA_TOPIC', exceeded(failure('KafkaJSProtocolError', { type: 'TOPIC_AUTHORIZATION_FAILED' }))],
    ['KAFKA_USERNAME', failure('KafkaJSProtocolError', { type: 'GROUP_AUTHORIZATION_FAILED' })],
    ['KAFKA_BROKERS', failure('KafkaJSServerDoesNotSupportApiKey')],
    ['KAFKA_REPLICATION_FACTOR', failure('KafkaJSProtocolError', { type: 'INVALID_REPLICATION_FACTOR' })],
    ['KAFKA_CA_FILE', failure('KafkaJSConnectionError', { message: 'self-signed certificate in certificate chain' })],
    ['KAFKA_TLS', failure('KafkaJSConnectionError', { message: 'write EPROTO … wrong version number' })],
    ['KAFKA_BROKERS', exceeded(failure('KafkaJSConnectionError', { code: 'ECONNREFUSED' }))],
    ['KAFKA_BROKERS', exceeded(failure('KafkaJSConnectionError', { code: 'ENOTFOUND' }))],
    ['KAFKA_TLS', failure('KafkaJSConnectionClosedError')],
    ['KAFKA_SASL_MECHANISM', failure('KafkaJSProtocolError', { type: 'ILLEGAL_SASL_STATE' })],
    ['KAFKA_BROKERS', failure('KafkaJSProtocolError', { type: 'UNKNOWN' })],
  ])('names %s in one sentence', (variable, error) => {
    const explained = explainedBy(SETTINGS, error);
    expect(explained).toBeInstanceOf(StartFailure);
    const { message } = explained as StartFailure;
    expect(message).toContain(variable);
    expect(message).toMatch(/^[^\n]+\.$/);
    expect(message).not.toContain('hidden');
  });

  it('stays what it is where it is a fault of this program', () => {
    const error = new TypeError('undefined is not a function');
    expect(explainedBy(SETTINGS, error)).toBe(error);
    expect(isOfKafka(error)).toBe(false);
    expect(isOfKafka(exceeded(error))).toBe(true);
    expect(isTooLarge(exceeded(failure('KafkaJSProtocolError', { type: 'MESSAGE_TOO_LARGE' })))).toBe(true);
  });
});
