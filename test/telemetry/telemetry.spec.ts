import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BROWSER } from '../../scripts/supervisor/screen';
import { newSecrets } from '../../scripts/supervisor/secrets';
import { build, installation, Product, root, type Installation } from '../journeys/product';
import { namesIn } from '../metrics/exposition';
import { freePort } from '../network/free-port';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver';

jest.setTimeout(300_000);

describe('one trace', () => {
  it('goes from a command to its append, and continues that of its caller', async () => {
    const { organizationId } = product.demo;
    const link = { organizationId, name: SECRET, slug: SECRET, targetUrl: `https://example.com/${SECRET}` };
    const sent = 'a'.repeat(32);
    const { status, headers } = await post('/v1/links', link, { traceparent: `00-${sent}-00f067aa0ba902b7-01` });
    expect(status).toBe(201);
    const [request, command, append] = await way('POST /v1/links', 'CreateLink', 'append to the event store');
    expect([request!.traceId, request!.parentSpanId]).toEqual([sent, '00f067aa0ba902b7']);
    expect(request!.attributes).toMatchObject({ 'http.response.status_code': 201, 'http.route': '/v1/links' });
    expect(command!.service).toBe('ledgerline-api');
    expect(append!.attributes).toEqual({
      'ledgerline.append.outcome': 'stored',
      'ledgerline.log.position': headers.get('x-log-position')!.replace('e:', ''),
    });
  });

  it('goes from a question to the SQL of each entry', async () => {
    const question = { parameters: ['top_pages', 'session_list'], preset: 'last_7d' };
    expect((await post(`/v1/query?website_id=${product.demo.websiteId}`, question)).status).toBe(200);
    for (const [type, read] of [
      ['top_pages', 'website_rollups'],
      ['session_list', 'session_list'],
    ] as const) {
      const chain = ['POST /v1/query', 'RunQuery', 'snapshot', `answer ${type}`, `SQL ${read}`];
      const sql = (await way(...chain)).at(-1)!;
      expect(sql.attributes).toMatchObject({ 'db.system.name': 'postgresql', 'db.query.summary': read });
    }
  });

  it('goes from a hit to its projection in another process, and not to those that leave it out', async () => {
    const { trackUrl, websiteId } = product.demo;
    const hit = [{ name: 'screen_view', path: `/${SECRET}`, anonymousId: SECRET, sessionId: SECRET }];
    const sent = 'b'.repeat(32);
    const headers = { ...JSON_BODY, 'user-agent': BROWSER, traceparent: `00-${sent}-00f067aa0ba902b7-01` };
    const url = `${trackUrl}/batch?client_id=${websiteId}`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(hit) });
    const position = answer.headers.get('x-log-position')!.replace('i', '');
    const spans = await way('POST /batch', 'append to the intake log', 'project websites');
    expect(spans.map(({ service }) => service)).toEqual([
      'ledgerline-tracker',
      'ledgerline-tracker',
      'ledgerline-projector',
    ]);
    expect(spans[1]!.attributes['ledgerline.log.positions']).toEqual([position]);
    const [partition, offset] = position.split(':').map(Number);
    const [, last] = String(spans[2]!.attributes['ledgerline.log.up_to']).split(':').map(Number);
    expect(spans[2]!.attributes['ledgerline.log.up_to']).toMatch(new RegExp(`^${partition}:`));
    expect(last).toBeGreaterThanOrEqual(offset!);
    expect(spans[0]).not.toMatchObject({ traceId: sent }); // a visitor's
    expect(namesOf(spans[0]!.traceId)).not.toContain('project links');
  });

  it('goes from a click, which is sent after its redirect, to its projection', async () => {
    const { status } = await fetch(product.demo.shortUrl, { headers: { 'user-agent': BROWSER }, redirect: 'manual' });
    expect(status).toBe(302);
    await way('GET /:slug', 'append to the intake log', 'project links');
  });
});

it('metrics are those of /metrics, of every process', async () => {
  for (const [service, url] of Object.entries(metricsUrls())) {
    const text = await (await fetch(url)).text();
    const withValues = samplesOf(text);
    const names = namesIn(text).filter((name) => withValues.has(name) || withValues.has(`${name}_count`));
    const exported = () => receiver.metrics().filter((metric) => metric.service === service);
    await waitUntil(() => names.every((name) => exported().some((metric) => metric.name === name)));
  }
  const requests = receiver
    .metrics()
    .find(({ service, name }) => service === 'ledgerline-api' && name === 'ledgerline_http_request_duration_seconds')!;
  const links = requests.points.find(({ attributes }) => attributes['route'] === '/v1/links')!;
  expect(links).toMatchObject({ count: 1, attributes: { method: 'POST', status: '201' } });
  expect(links.bucketCounts).toHaveLength(links.explicitBounds!.length + 1);
  expect(links.bucketCounts!.map(Number).reduce((sum, count) => sum + count, 0)).toBe(1);
});

it('nothing that was exported names people, what they sent, or a secret', () => {
  const { apiKey, owner } = product.demo;
  const { hostname } = new URL(product.demo.trackUrl);
  for (const secret of [SECRET, apiKey, owner.email, owner.password, BROWSER, hostname, place.env['AUTH_SECRET']!])
    expect(receiver.text()).not.toContain(secret);
});

it('the dashboard asks for metrics that the processes have', async () => {
  const known = new Set<string>();
  for (const url of Object.values(metricsUrls())) {
    const text = await (await fetch(url)).text();
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
      for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) known.add(`${name}${part}`);
  }
  const asked = [...dashboard().matchAll(/\b(?:ledgerline|process|nodejs)_\w+/g)].map(([name]) => name);
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

it('the processes load nothing of the SDK while there is no endpoint', () => {
  const apps = ['api', 'tracker', 'projector'];
  const mains = apps.map((app) => `require('./dist/apps/${app}/src/main.js');`); // which end at once without settings
  const program = `process.on('exit', () => console.log(Object.keys(require.cache).join('\\n'))); ${mains.join(' ')}`;
  const { status, stdout } = spawnSync(process.execPath, ['-e', program], { cwd: root, env: {}, encoding: 'utf8' });
  const loaded = stdout.split('\n');
  expect(status).toBe(1);
  for (const app of apps) expect(loaded).toContain(join(root, 'dist', 'apps', app, 'src', 'main.js'));
  expect(loaded.filter((file) => /@opentelemetry\/(?!api\/)/.test(file))).toEqual([]);
});

/** Typed by a visitor or a customer. */
const SECRET = 'nobodys-business';
const JSON_BODY = { 'content-type': 'application/json' };

const post = (path: string, body: object, headers: Record<string, string> = {}) => {
  const { apiUrl, apiKey } = product.demo;
  const all = { ...JSON_BODY, 'x-api-key': apiKey, ...headers };
  return fetch(`${apiUrl}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) });
};

/** The spans of these names of one trace, each the parent of the next. */
const way = (...names: string[]): Promise<readonly ReceivedSpan[]> =>
  waitUntil(
    () =>
      receiver.spans
        .filter(({ name }) => name === names[0])
        .map((first) => below(first, names.slice(1)))
        .at(0) ?? [],
    (found) => found.length === names.length,
    60_000,
  );

function below(first: ReceivedSpan, [name, ...more]: readonly string[]): ReceivedSpan[] {
  if (name === undefined) return [first];
  const { traceId, spanId } = first;
  const next = receiver.spans.find(
    (span) => span.traceId === traceId && span.parentSpanId === spanId && span.name === name,
  );
  return [first, ...(next ? below(next, more) : [])];
}

const namesOf = (trace: string) => receiver.spans.filter(({ traceId }) => traceId === trace).map(({ name }) => name);

const metricsUrls = (): Record<string, string> => ({
  'ledgerline-api': `${product.demo.apiUrl}/metrics`,
  'ledgerline-tracker': `${product.demo.trackUrl}/metrics`,
  'ledgerline-projector': `http://127.0.0.1:${place.env['PROJECTOR_METRICS_PORT']}/metrics`,
});

/** An event loop that was measured a moment ago has no mean. */
const samplesOf = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/^(\w+)(?:\{.*\})? [^N]\S*$/gm)].map(([, name]) => name!));

const dashboard = () => readFileSync(join(root, 'docker', 'grafana', 'ledgerline.json'), 'utf8');

let receiver: OtlpReceiver;
let database: TestDatabase;
let place: Installation;
let product: Product;

beforeAll(async () => {
  await build();
  receiver = await startOtlpReceiver();
  database = await createTestDatabase({ migrated: false });
  const { authSecret, keyPepper, auditSigningKey } = newSecrets();
  place = await installation({
    DATABASE_URL: database.url,
    AUTH_SECRET: authSecret,
    KEY_PEPPER: keyPepper,
    AUDIT_SIGNING_KEY: auditSigningKey,
    PROJECTOR_METRICS_PORT: String(await freePort()),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
  });
  product = await new Product(place).running();
});

afterAll(async () => {
  await product.stop().catch(() => undefined);
  place.remove();
  await database.drop();
  await receiver.close();
});
