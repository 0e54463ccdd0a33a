import fc from 'fast-check';
import type { Caller } from '@ledgerline/domain/access/caller';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { clicks, traffic } from '../oracle/random-traffic';
import { createDatabaseOn, createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { TestServer } from '../postgres/server';
import { waitUntil } from '../wait-until';
import { differencesFromOracle, type Recorded } from './oracle-answers';
import { startProjector, startStoreProduct, type StoreProduct, type Variables } from './store-product';

/** `ORACLE_SEED=7 npx jest test/read-stores` for another seed. */
const SEED = Number(process.env['ORACLE_SEED'] ?? 20_261_123);

jest.setTimeout(600_000);

describe('read models on two servers', () => {
  it('answer every query type as the oracle does, wherever a website or link is', async () => {
    expect(await differences(product.api, recorded)).toEqual([]);
    const { status, body } = await ask(product.api, 'GET /health/ready');
    expect([status, body]).toMatchObject([200, { status: 'ok', readStores: [{ status: 'ok' }, { status: 'ok' }] }]);
  });

  it('of a server that is away are refused, those of the other are answered, and hits are recorded', async () => {
    await server.stop();
    const [here, away] = [await at(1), await at(2)];
    expect(await differences(product.api, here)).toEqual([]);
    for (const { about, id } of away) {
      const { status, body, headers } = await question(product.api, about, id);
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
      expect(body.error).toMatch(/^The read models of this website or link cannot be reached/);
    }
    const { status, body } = await ask(product.api, 'GET /health/ready');
    const stores = [
      { store: 1, status: 'ok' },
      { store: 2, status: 'down' },
    ];
    expect([status, body]).toMatchObject([200, { status: 'degraded', readStores: stores }]);
    expect((await ask(product.api, 'GET /metrics')).text).toContain('ledgerline_read_store_up{store="2"} 0');
    more = await record({ websites: 1, links: 0, seed: SEED + 1 });
    for (const { id } of await at(1, more)) expect(await product.includes('websites', id)).toBe(true);
    expect(await differences(product.api, await at(1, more))).toEqual([]);
  });

  it('keep no api and no projector from starting while one is away', async () => {
    const api = opened(await startTestApi(variables));
    const lines: string[] = [];
    opened(await startProjector(api, {}, lines));
    const [here, away] = [await at(1), await at(2)];
    expect(await differences(api, here)).toEqual([]);
    for (const { about, id } of away) expect((await question(api, about, id)).status).toBe(503);
    expect(lines.filter((line) => line.includes('the read store is away'))).toHaveLength(2);

    await server.resume();
    await waitUntil(() => lines.filter((line) => line.includes('the read store is back')).length === 2);
    for (const { id } of more) expect(await product.includes('websites', id)).toBe(true);
    expect(await differences(api, [...recorded, ...more])).toEqual([]);
    expect(await differences(product.api, [...recorded, ...more])).toEqual([]);
    expect((await ask(product.api, 'GET /health/ready')).body).toMatchObject({ status: 'ok' });
  });

  let server: TestServer;
  let databases: TestDatabase[];
  let variables: Variables;
  let product: StoreProduct;
  let owner: Owner;
  let caller: Caller;
  let recorded: readonly Recorded[];
  let more: readonly Recorded[] = [];
  const others: { close(): Promise<unknown> }[] = [];

  const opened = <T extends { close(): Promise<unknown> }>(one: T): T => {
    others.push(one);
    return one;
  };

  beforeAll(async () => {
    server = await TestServer.start();
    databases = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
    const [main, first] = databases.map(({ url }) => url);
    variables = { DATABASE_URL: main!, READ_DATABASE_URLS: `${first},${await createDatabaseOn(server.url)}` };
    product = await startStoreProduct(variables);
    owner = await ownerWithWebsite(product.api);
    caller = { kind: 'user', id: owner.id, roles: new Map([[owner.organizationId, 'owner']]) };
    recorded = await record({ websites: 2, links: 1, seed: SEED });
    for (const { about, id } of recorded) expect(await product.includes(`${about}s`, id)).toBe(true);
  });

  afterAll(async () => {
    for (const each of others.reverse()) await each.close();
    await product.close();
    for (const database of databases) await database.drop();
    await server.remove();
  });

  const at = async (place: number, among = recorded): Promise<Recorded[]> => {
    const places = await Promise.all(among.map(({ id }) => product.placeOf(id)));
    return among.filter((_, index) => places[index] === place);
  };

  const differences = async (api: TestApi, among: readonly Recorded[]): Promise<string[]> => {
    const found: string[] = [];
    for (const one of among) found.push(...(await differencesFromOracle(api, caller, one)));
    return found;
  };

  const question = (api: TestApi, about: string, id: string) =>
    ask(api, `POST /v1/query?${about}_id=${id}`, {
      body: { parameters: [about === 'link' ? 'link_total_clicks' : 'top_pages'], preset: 'last_7d' },
      headers: owner.headers,
    });

  /** Registers so many websites and links of each store, and sends what happened on them. */
  async function record({ websites, links, seed }: Readonly<Record<'websites' | 'links' | 'seed', number>>) {
    const { organizationId } = owner;
    const all: Recorded[] = [];
    for (const [at, { zone, start, events }] of fc.sample(traffic, { seed, numRuns: 2 * websites }).entries()) {
      const website = { organizationId, name: 'Shop', domain: 'example.com', timezone: zone };
      const id = await createIn(1 + (at % 2), 'websites', website);
      all.push({ about: 'website', id, zone, start, events: events({ websiteId: id, organizationId, zone }) });
    }
    for (const [at, { start, events }] of fc.sample(clicks, { seed, numRuns: 2 * links }).entries()) {
      const link = { organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
      const id = await createIn(1 + (at % 2), 'links', link);
      all.push({ about: 'link', id, zone: 'UTC', start, events: events({ linkId: id, organizationId }) });
    }
    for (const { id, events } of all) await product.send(id, events);
    return all;
  }

  /** Ids are random: creates until one is in the store. */
  const createIn = (place: number, what: 'websites' | 'links', body: object): Promise<string> =>
    waitUntil(async () => {
      const id = await create(what, body);
      return (await product.placeOf(id)) === place ? id : undefined;
    });

  async function create(what: 'websites' | 'links', body: object): Promise<string> {
    const answer = await ask(product.api, `POST /v1/${what}`, { body, headers: owner.headers });
    if (answer.status !== 201) throw new Error(`${what}: ${answer.text}`);
    return answer.body.id as string;
  }
});
