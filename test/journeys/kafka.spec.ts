import { BROWSER } from '../../scripts/supervisor/screen';
import { newSecrets } from '../../scripts/supervisor/secrets';
import { startKafka, type KafkaCluster } from '../kafka/cluster';
import { describeOnKafka } from '../kafka/on-kafka';
import { freePort } from '../network/free-port';
import { createTestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import { build, installation, Product, type Installation } from './product';

jest.setTimeout(600_000);

describeOnKafka('npm start', () => {
  let cluster: KafkaCluster;
  let place: Installation | undefined;
  let product: Product | undefined;

  beforeAll(async () => {
    await build();
    cluster = await startKafka();
  });
  afterEach(async () => {
    await product?.stop().catch(() => undefined);
    place?.remove();
  });
  afterAll(() => cluster.remove());

  it('with DATABASE_URL and KAFKA_BROKERS uses a Postgres and a Kafka that are there', async () => {
    const database = await createTestDatabase({ migrated: false });
    const { authSecret, keyPepper, auditSigningKey } = newSecrets();
    const secrets = { AUTH_SECRET: authSecret, KEY_PEPPER: keyPepper, AUDIT_SIGNING_KEY: auditSigningKey };
    await start({ DATABASE_URL: database.url, ...secrets });
    await expectHitsThroughKafka();
    expect(await product?.stop()).toBe(0);
    await database.drop();
  });

  it('with KAFKA_BROKERS alone uses that Kafka and its own Postgres', async () => {
    await start({});
    await expectHitsThroughKafka();
  });

  async function start(variables: NodeJS.ProcessEnv): Promise<void> {
    place = await installation({
      KAFKA_BROKERS: cluster.connection.brokers.join(),
      KAFKA_TOPIC: `hits-${await freePort()}`,
      PROJECTOR_METRICS_PORT: String(await freePort()),
      ...variables,
    });
    product = await new Product(place).running();
    expect(product.complaints).toBe('');
  }

  /** Three hits are counted in the answer that must include them; health and metrics show that they were copied. */
  async function expectHitsThroughKafka(): Promise<void> {
    const positions: string[] = [];
    for (const path of ['/a', '/b', '/a']) positions.push(await view(path));
    expect(positions).toEqual(positions.map(() => expect.stringMatching(/^k\d+:\d+$/) as string));
    expect(await pagesWith(positions.at(-1)!)).toMatchObject({ '/a': 2, '/b': 1 });
    const { API_PORT } = place!.env;
    const ready = await fetch(`http://127.0.0.1:${API_PORT!}/health/ready`);
    const { copier } = (await ready.json()) as { copier: { partitions: object[] } };
    expect(copier).toMatchObject({ topic: place!.env.KAFKA_TOPIC, status: 'ok', lost: 0, refused: 0 });
    expect(copier.partitions).toHaveLength(8);
    const metrics = await (await fetch(`http://127.0.0.1:${API_PORT!}/metrics`)).text();
    expect(metrics).toContain('ledgerline_copier_lag_messages{partition="0"}');
  }

  /** Answers X-Log-Position. */
  async function view(path: string): Promise<string> {
    const { trackUrl, websiteId } = product!.demo;
    const body = JSON.stringify([{ name: 'screen_view', path, anonymousId: 'me', sessionId: 's1' }]);
    const headers = { 'content-type': 'application/json', 'user-agent': BROWSER };
    const answer = await fetch(`${trackUrl}/batch?client_id=${websiteId}`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return answer.headers.get('x-log-position') ?? '';
  }

  /** Views by path, in the first answer that includes a position. */
  async function pagesWith(position: string): Promise<Record<string, unknown>> {
    const { apiUrl, websiteId, apiKey } = product!.demo;
    const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, 'x-min-position': position };
    const body = JSON.stringify({ parameters: ['top_pages'], preset: 'last_7d' });
    const ask = () => fetch(`${apiUrl}/v1/query?website_id=${websiteId}`, { method: 'POST', headers, body });
    const answer = await waitUntil(
      async () => (await ask()).text(),
      (text) => !text.includes('X-Min-Position was not reached'), // on a slow machine
    );
    const { data } = JSON.parse(answer) as { data: { data: { name: string; pageviews: number }[] }[] };
    return Object.fromEntries(data[0]!.data.map(({ name, pageviews }) => [name, pageviews]));
  }
});
