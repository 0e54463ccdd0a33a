import { GROUPS } from '@ledgerline/contracts/read-models/registry';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi } from '../api/test-api';
import { proxyTo, type BreakableProxy } from '../network/breakable-proxy';
import { TestServer } from '../postgres/server';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import type { Recorded } from './oracle-answers';
import { differences, placeOf, projected, question, recordTraffic } from './random-subjects';
import { startProjector, startStoreProduct, type StoreProduct, type Variables } from './store-product';

const GROUPS_OF_STORES = GROUPS.length - 1; // those of the registry are in the main database
/** `ORACLE_SEED=7 npx jest test/read-stores` for another seed. */
const SEED = Number(process.env['ORACLE_SEED'] ?? 20_261_123);

jest.setTimeout(600_000);

describe('read models on two servers', () => {
  it('answer every query type as the oracle does, wherever a website or link is', async () => {
    expect(await differences(product.api, owner, recorded)).toEqual([]);
    expect(await until('ok')).toMatchObject({ httpStatus: 200, readStores: [ok(1), ok(2)] });
  });

  it('say when the newest event of each was, and that nothing waits', async () => {
    for (const one of recorded) {
      const newest = one.events.reduce((latest, { at }) => Math.max(latest, at), -Infinity);
      const newestEventAt = newest === -Infinity ? null : new Date(newest).toISOString();
      const before = Math.floor(Date.now() / 1_000) * 1_000;
      const { asOf, ...meta } = (await question(product.api, owner, one)).body.meta as { readonly asOf: string };
      expect({ id: one.id, ...meta }).toMatchObject({ id: one.id, newestEventAt, lagMs: 0 });
      expect(Date.parse(asOf)).toBeGreaterThanOrEqual(before);
    }
  });

  it('that does not respond at all hold up their own websites and links, and no others', async () => {
    proxy.swallow();
    const here = first(at(1));
    const away = first(at(2));
    const waiting = question(product.api, owner, away);
    expect((await question(product.api, owner, here)).status).toBe(200);
    expect(await untilDown(2)).toMatchObject({ httpStatus: 200, status: 'degraded', readStores: [ok(1), down(2)] });
    await proxy.mend();
    expect([200, 503]).toContain((await waiting).status);
    await until('ok');
  });

  it('of a server that is away are refused, those of the other are answered, and hits are recorded', async () => {
    await server.stop();
    expect(await differences(product.api, owner, at(1))).toEqual([]);
    for (const one of at(2)) {
      const { status, body, headers } = await question(product.api, owner, one);
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
      expect(body.error).toMatch(/^The read models of this website or link cannot be reached/);
    }
    expect(await untilDown(2)).toMatchObject({ httpStatus: 200, status: 'degraded', readStores: [ok(1), down(2)] });
    expect((await ask(product.api, 'GET /metrics')).text).toContain('ledgerline_read_store_up{store="2"} 0');
    more = await recordTraffic(product, owner, { websites: 1, links: 0, seed: SEED + 1 });
    await projected(product, at(1, more));
    expect(await differences(product.api, owner, at(1, more))).toEqual([]);
  });

  it('keep no api and no projector from starting while one is away', async () => {
    const api = opened(await startTestApi(variables));
    const lines: string[] = [];
    const { dataDir } = product.api.settings; // one that remembers the signed statements
    opened(await startProjector(api, { dataDir }, lines));
    expect(await differences(api, owner, [first(at(1))])).toEqual([]);
    for (const one of at(2)) expect((await question(api, owner, one)).status).toBe(503);
    const about = (text: string) => lines.filter((line) => line.includes(text));
    expect(about('the store or the log is away')).toHaveLength(GROUPS_OF_STORES);

    await server.resume();
    await waitUntil(() => about('the store and the log are back').length === GROUPS_OF_STORES);
    await projected(product, more);
    expect(await differences(api, owner, more)).toEqual([]);
    expect(await differences(product.api, owner, [...at(2), ...more])).toEqual([]);
    await until('ok');
  });

  let server: TestServer;
  let proxy: BreakableProxy;
  let databases: TestDatabase[];
  let variables: Variables;
  let product: StoreProduct;
  let owner: Owner;
  let recorded: readonly Recorded[];
  let more: readonly Recorded[] = [];
  const others: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    server = await TestServer.start();
    databases = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
    const [main = '', here = ''] = databases.map(({ url }) => url);
    const there = new URL(await createDatabaseOn(server.url));
    proxy = await proxyTo(there.hostname, Number(there.port));
    there.port = String(proxy.port);
    variables = { DATABASE_URL: main, READ_DATABASE_URLS: `${here},${there.href}` };
    product = await startStoreProduct(variables);
    owner = await ownerWithWebsite(product.api);
    recorded = await recordTraffic(product, owner, { websites: 1, links: 1, seed: SEED });
    await projected(product, recorded);
  });

  afterAll(async () => {
    for (const each of others.reverse()) await each.close();
    await product.close();
    await proxy.close();
    for (const database of databases) await database.drop();
    await server.remove();
  });

  const opened = <T extends { close(): Promise<unknown> }>(one: T): T => {
    others.push(one);
    return one;
  };

  const at = (place: number, among = recorded) => among.filter((one) => placeOf(one) === place);

  const first = ([one]: readonly Recorded[]): Recorded => one!;

  const readiness = async () => {
    const { status: httpStatus, body } = await ask(product.api, 'GET /health/ready');
    return { httpStatus, ...(body as { status: string; readStores: { store: number; status: string }[] }) };
  };

  const until = (wanted: string) => waitUntil(readiness, ({ status }) => status === wanted);
  /** On a busy machine it may be degraded by a lag before. */
  const untilDown = (place: number) =>
    waitUntil(readiness, ({ readStores }) =>
      readStores.some(({ store, status }) => store === place && status === 'down'),
    );

  const ok = (store: number) => ({ store, status: 'ok' });
  const down = (store: number) => ({ store, status: 'down' });
});
