import { generateKeyPairSync } from 'node:crypto';
import { resolve } from 'node:path';
import { loadSettings } from './settings';
import { StartFailure } from './start-failure';

describe('the settings', () => {
  it('have defaults for everything but the database and the secrets', () => {
    expect(loadSettings(minimal)).toMatchObject({
      databaseUrl: minimal.DATABASE_URL,
      readDatabaseUrls: [minimal.DATABASE_URL],
      projectorStores: undefined,
      eventStoreUrl: undefined,
      apiPort: 3000,
      trackerPort: 3001,
      publicApiUrl: 'http://localhost:3000',
      publicTrackUrl: 'http://localhost:3001',
      trustProxy: { whom: false, header: 'x-forwarded-for' },
      dataDir: resolve('.data'),
      logLevel: 'info',
      demo: false,
      mail: { by: 'nothing' },
      operatorEmails: [],
      signUp: 'invited',
      dashboardOrigins: [],
      limits: { queryPerMinute: 120, queryAnonymousPerMinute: 60, eventsPerKeyPerMinute: 60_000 },
    });
  });

  it('name every problem at once, one sentence each, and show no secret', () => {
    const { message } = failure({
      API_PORT: '80a',
      TRACKER_PORT: '70000',
      EVENT_STORE: 'mongo',
      INTAKE_LOG: 'paper',
      PUBLIC_API_URL: 'stats.example.com',
      TRUST_PROXY: 'sometimes',
      GEOIP_DB_PATH: '/no/such/file.mmdb',
      LOG_LEVEL: 'loud',
      LEDGERLINE_DEMO: 'maybe',
      LIMIT_API_PER_MINUTE: '-1',
      LISTEN_ADDRESS: 'everywhere',
      OPERATOR_EMAILS: 'ops@example.com, ops',
      SIGN_UP: 'members',
      DATABASE_URL: 'mysql://me:hidden@localhost/db',
      AUTH_SECRET: 'hidden',
      AUDIT_SIGNING_KEY: 'hidden',
    });
    const sentences = message.split('\n');
    expect(sentences.map((sentence) => sentence.split(' ')[0]).sort()).toEqual(
      [
        'API_PORT AUDIT_SIGNING_KEY AUTH_SECRET DATABASE_URL EVENT_STORE GEOIP_DB_PATH INTAKE_LOG KEY_PEPPER',
        'LEDGERLINE_DEMO LIMIT_API_PER_MINUTE LISTEN_ADDRESS LOG_LEVEL OPERATOR_EMAILS PUBLIC_API_URL',
        'SIGN_UP TRACKER_PORT TRUST_PROXY',
      ]
        .join(' ')
        .split(' '),
    );
    expect(sentences.every((sentence) => sentence.endsWith('.'))).toBe(true);
    expect(message).not.toContain('hidden');
  });

  it('name operators by their addresses, each once and in lower case', () => {
    const named = (OPERATOR_EMAILS: string) => loadSettings({ ...minimal, OPERATOR_EMAILS }).operatorEmails;
    expect(named(' Ada@Example.com,ops@example.com ,, ada@example.COM')).toEqual([
      'ada@example.com',
      'ops@example.com',
    ]);
    expect(failure({ ...minimal, OPERATOR_EMAILS: 'Ada <ada@example.com>' }).message).toBe(
      'OPERATOR_EMAILS names "ada <ada@example.com>"; it must be addresses such as ops@example.com, separated by commas.',
    );
    expect(failure({ ...minimal, SIGN_UP: 'Open' }).message).toBe(
      'SIGN_UP is "Open"; it must be one of open, invited, closed.',
    );
  });

  it('have read stores in order, each once, and places among them', () => {
    const a = 'postgres://u:p@a/read';
    const b = 'postgres://u:p@b:5433/read';
    const urls = { READ_DATABASE_URLS: `${a}, ${b}` };
    expect(loadSettings({ ...minimal, ...urls, PROJECTOR_STORES: '2' })).toMatchObject({
      readDatabaseUrls: [a, b],
      projectorStores: [2],
    });
    const sentences = [
      [{ READ_DATABASE_URLS: `${a},` }, /^READ_DATABASE_URLS is not a list/],
      [{ READ_DATABASE_URLS: `${a},mysql://hidden@b/c` }, /^READ_DATABASE_URLS is not a list/],
      [
        { READ_DATABASE_URLS: `${a},postgres://other:hidden@a:5432/read` },
        /^READ_DATABASE_URLS names a database twice/,
      ],
      [{ ...urls, PROJECTOR_STORES: '1,3' }, /^PROJECTOR_STORES is "1,3"; it must be .* from 1 to 2\.$/],
      [{ PROJECTOR_STORES: 'all' }, /^PROJECTOR_STORES is "all"; it must be .* from 1 to 1\.$/],
    ] as const;
    for (const [variables, sentence] of sentences) {
      const { message } = failure({ ...minimal, ...variables });
      expect(message).toMatch(sentence);
      expect(message).not.toContain('hidden');
    }
  });

  it('count an empty variable as absent', () => {
    expect(loadSettings({ ...minimal, API_PORT: '', PUBLIC_API_URL: ' ' }).publicApiUrl).toBe('http://localhost:3000');
  });

  it('follow the ports with the public addresses, and lose trailing slashes', () => {
    const settings = loadSettings({ ...minimal, API_PORT: '4000', PUBLIC_TRACK_URL: 'https://t.example.com/' });
    expect(settings).toMatchObject({ publicApiUrl: 'http://localhost:4000', publicTrackUrl: 'https://t.example.com' });
  });

  it('refuse one port for two processes', () => {
    expect(failure({ ...minimal, API_PORT: '3001' }).message).toBe(
      'API_PORT and TRACKER_PORT are both 3001; they must differ.',
    );
  });

  it.each<[string, boolean | number | string[], string?]>([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback', ['loopback']],
    ['X-Real-IP', true, 'x-real-ip'],
    ['1 CF-Connecting-IP', 1, 'cf-connecting-ip'],
    ['uniquelocal,10.0.0.0/8, Forwarded', ['uniquelocal', '10.0.0.0/8'], 'forwarded'],
  ])('read TRUST_PROXY=%s', (text, whom, header = 'x-forwarded-for') => {
    expect(loadSettings({ ...minimal, TRUST_PROXY: text }).trustProxy).toEqual({ whom, header });
  });

  it.each([
    'sometimes',
    'X_Real_IP',
    'false X-Real-IP',
    '0 Forwarded',
    '2 10.0.0.1',
    'Forwarded X-Real-IP',
    '10.0.0.0/33',
  ])('refuse TRUST_PROXY=%s', (text) =>
    expect(failure({ ...minimal, TRUST_PROXY: text }).message).toContain(`TRUST_PROXY is "${text}"; it must`),
  );

  it('need an address for EventStoreDB', () => {
    expect(failure({ ...minimal, EVENT_STORE: 'eventstoredb' }).message).toContain('EVENTSTORE_URL is missing');
    const url = 'esdb://a:2113,b:2113?tls=true';
    const settings = loadSettings({ ...minimal, EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url });
    expect(settings).toMatchObject({ eventStoreUrl: url });
  });

  it('send hits to the Kafka that is named, unless they are to go to Postgres', () => {
    const kafka = { ...minimal, KAFKA_BROKERS: 'one:9092, two:9092' };
    expect(loadSettings(minimal).kafka).toBeUndefined();
    expect(loadSettings(kafka).kafka).toMatchObject({ brokers: ['one:9092', 'two:9092'], topic: 'ledgerline-intake' });
    expect(loadSettings({ ...kafka, INTAKE_LOG: 'postgres' }).kafka).toBeUndefined();
    expect(failure({ ...minimal, INTAKE_LOG: 'kafka' }).message).toContain('KAFKA_BROKERS is missing');
    expect(failure({ ...minimal, KAFKA_BROKERS: 'one' }).message).toMatch(/^KAFKA_BROKERS is "one"; it must be /);
  });

  it('take origins of dashboards in their usual form', () => {
    const DASHBOARD_ORIGINS = 'https://App.example.com., http://localhost:5173,https://b.example:443/, http://[::1]:80';
    expect(loadSettings({ ...minimal, DASHBOARD_ORIGINS }).dashboardOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
      'https://b.example',
      'http://[::1]',
    ]);
  });

  it('name every entry that is no origin', () => {
    const wrong = ['*', 'null', 'app.example.com', 'https://*.example.com', 'https://a.example/app', 'ftp://a.example'];
    wrong.push('https://me@a.example', 'https://a.example?b', 'https://a.example:99999', '');
    const { message } = failure({ ...minimal, DASHBOARD_ORIGINS: ['https://good.example', ...wrong].join() });
    const named = message.split('\n').map((sentence) => /^DASHBOARD_ORIGINS has "(.*)"; each must/.exec(sentence)?.[1]);
    expect(named).toEqual(wrong);
  });

  it('choose how mails leave', () => {
    const from = 'Ledgerline <stats@example.com>';
    const url = 'smtp://mail.example.com:587';
    const mail = (variables: NodeJS.ProcessEnv) => loadSettings({ ...minimal, ...variables }).mail;
    expect(mail({ SMTP_URL: url, MAIL_FROM: from, MAIL_TO_FILES: '1' })).toEqual({ by: 'smtp', url, from });
    expect(mail({ MAIL_TO_FILES: '1' })).toEqual({ by: 'files' });
    expect(failure({ ...minimal, SMTP_URL: url }).message).toMatch(/^MAIL_FROM is missing/);
    expect(failure({ ...minimal, MAIL_FROM: 'stats@example.com' }).message).toMatch(
      /^MAIL_FROM is set without SMTP_URL/,
    );
    const { message } = failure({ ...minimal, SMTP_URL: 'http://me:hidden@mail', MAIL_FROM: 'stats' });
    expect(message.split('\n').map((sentence) => sentence.split(' ')[0])).toEqual(['MAIL_FROM', 'SMTP_URL']);
    expect(message).not.toContain('hidden');
  });

  it('export telemetry to the endpoints that are named', () => {
    const telemetry = (variables: NodeJS.ProcessEnv) => loadSettings({ ...minimal, ...variables }).telemetry;
    const endpoint = 'http://collector:4318';
    expect(telemetry({ OTEL_TRACES_SAMPLER: 'always_off' })).toBeUndefined();
    expect(telemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toEqual({
      protocol: 'http/protobuf',
      traces: { sampler: 'parentbased_always_on', ratio: 1, everyMs: 5_000 },
      metrics: { everyMs: 60_000 },
    });
    const sampled = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    const onlyTraces = telemetry({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, ...sampled });
    expect(onlyTraces).toMatchObject({ traces: { sampler: 'traceidratio', ratio: 0.05 } });
    expect(onlyTraces).not.toHaveProperty('metrics');
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' };
    const { message } = failure({ ...minimal, ...wrong, OTEL_TRACES_SAMPLER_ARG: '5%' });
    const named = message.split('\n').map((sentence) => sentence.split(' ')[0]);
    expect(named).toEqual([...Object.keys(wrong), 'OTEL_TRACES_SAMPLER_ARG']);
  });

  it('take the signing key as PEM or as base64', () => {
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const text of [pem, pem.replaceAll('\n', '\\n')]) {
      expect(loadSettings({ ...minimal, AUDIT_SIGNING_KEY: text }).auditSigningKey.equals(privateKey)).toBe(true);
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'pem', type: 'pkcs8' });
    expect(failure({ ...minimal, AUDIT_SIGNING_KEY: rsa.toString() }).message).toContain('Ed25519');
  });
});

const { privateKey } = generateKeyPairSync('ed25519');

const minimal = {
  DATABASE_URL: 'postgres://me:pw@localhost:5432/ledgerline',
  AUTH_SECRET: 'a'.repeat(32),
  KEY_PEPPER: 'b'.repeat(32),
  AUDIT_SIGNING_KEY: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
};

function failure(variables: NodeJS.ProcessEnv): StartFailure {
  try {
    loadSettings(variables);
  } catch (error) {
    if (error instanceof StartFailure) return error;
  }
  throw new Error('the settings were accepted');
}
