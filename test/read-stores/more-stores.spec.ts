import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { openStorePools, openProjectionPool } from '../../apps/projector/src/open-pool';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { listProjections } from '../../apps/projector/src/runner/list-projections';
import { Projector } from '../../apps/projector/src/runner/projector';
import { projections } from '../../scripts/projections/projections';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi } from '../api/test-api';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import type { Recorded } from './oracle-answers';
import { differences, placeOf, projected, question, recordTraffic } from './random-subjects';
import { startProjector, startStoreProduct, type StoreProduct } from './store-product';

jest.setTimeout(600_000);

describe('an installation that gets another read store', () => {
  it('answers from the one it has while a second projector fills the new one', async () => {
    const api = opened(await startTestApi(listing(main, second)));
    const moved = recorded.filter((one) => placeOf(one) === 2);
    for (const one of moved) expect((await question(api, owner, one)).status).toBe(503); // empty
    opened(await startProjector(product.api, { readDatabaseUrls: [main.url, second.url] }));
    await waitUntil(
      () => standings(),
      (all) => all.length > 0 && all.every(({ cursor, head }) => cursor === head),
    );
    expect(await differences(product.api, owner, recorded)).toEqual([]);
    expect(await differences(api, owner, recorded)).toEqual([]);

    const later = await recordTraffic(product, owner, { websites: 1, links: 1, seed: 8 });
    recorded = [...recorded, ...later];
    await projected(product, later);
    await waitUntil(
      () => standings(),
      (all) => all.every(({ cursor, head }) => cursor === head),
    );
    expect(await differences(product.api, owner, later)).toEqual([]);
    expect(await differences(api, owner, later)).toEqual([]);
  });

  it('starts with no list that has another order, nor without partitions for each store', async () => {
    await expect(startAnswering(second.url, main.url)).rejects.toThrow(StartFailure);
    await expect(startAnswering(second.url, main.url)).rejects.toThrow(
      'The database at place 1 of 2 read stores has the read models of the partitions 1, 3, 5, 7 and not of 0, 2, 4, 6; correct READ_DATABASE_URLS, or put an empty database there.',
    );
    await expect(startProjecting(second.url, main.url)).rejects.toThrow(/^The database at place 1 of 2 /);
    const missing = [main.url, `${second.url}_not`];
    const sentence = 'The database at place 2 of READ_DATABASE_URLS cannot be used (there is no such database).';
    await expect(startAnswering(...missing)).rejects.toThrow(sentence);
    await expect(startProjecting(...missing)).rejects.toThrow(sentence);
    const tooMany = Array.from({ length: 9 }, (_, at) => `${main.url}_${at}`);
    const excess = /^READ_DATABASE_URLS names 9 databases, but the intake log has 8 partitions/;
    await expect(startAnswering(...tooMany)).rejects.toThrow(excess);
    await expect(startProjecting(...tooMany)).rejects.toThrow(excess);
  });

  it('frees what has moved by a rebuild, and cannot go back to one store then', async () => {
    await product.close();
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    await projections(['rebuild', 'all'], listing(main, second));
    await projections(['list'], listing(main, second));
    const text = written.mock.calls.map(([line]) => String(line)).join('');
    written.mockRestore();
    expect(text).toContain('websites (store 1) now uses version 2 (not compared, because the log was replaced, or ');
    expect(text).toMatch(/links \(store 2\) now uses version 2 \(equal row for row; switched in [\d.]+ ms\)/);
    expect(text).toMatch(/websites \(store 2\) │ 2 +│ live/);
    const pool = openPool({ url: main.url, name: 'spec', max: 1 });
    const { rows } = await pool.query('select count(distinct website)::int as websites from websites_v2.sessions');
    await pool.end();
    const kept = recorded.filter((one) => one.about === 'website' && placeOf(one) === 1 && one.events.length > 0);
    expect(rows).toEqual([{ websites: kept.length }]);
    const api = opened(await startTestApi(listing(main, second)));
    expect(await differences(api, owner, recorded)).toEqual([]);
    await expect(startAnswering(main.url)).rejects.toThrow(/^The database at place 1 of 1 read stores has/);
  });

  let main: TestDatabase;
  let second: TestDatabase;
  let product: StoreProduct;
  let owner: Owner;
  let recorded: readonly Recorded[];
  let tools: Awaited<ReturnType<typeof openTools>>;
  const others: { close(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    main = await createTestDatabase();
    second = await createTestDatabase({ migrated: false });
    product = await startStoreProduct({ DATABASE_URL: main.url });
    owner = await ownerWithWebsite(product.api);
    recorded = await recordTraffic(product, owner, { websites: 1, links: 1, seed: 7 });
    await projected(product, recorded);
    tools = await openTools();
  });

  afterAll(async () => {
    for (const each of others.reverse()) await each.close();
    await tools.close();
    await main.drop();
    await second.drop();
  });

  const opened = <T extends { close(): Promise<unknown> }>(one: T): T => {
    others.push(one);
    return one;
  };

  const listing = (...databases: TestDatabase[]) => ({
    DATABASE_URL: main.url,
    READ_DATABASE_URLS: databases.map(({ url }) => url).join(),
  });

  /** Returns what `npm run projections` uses. */
  async function openTools() {
    const eventStore = await openEventStore({ databaseUrl: main.url });
    const intakeLog = await openIntakeLog({ databaseUrl: main.url });
    const pool = openProjectionPool(main.url);
    const stores = openStorePools([main.url, second.url]);
    const close = async () => {
      await Promise.all([eventStore.close(), intakeLog.close()]);
      await Promise.all([pool, ...stores.map((store) => store.pool)].map((each) => each.end()));
    };
    return { eventStore, intakeLog, pool, stores, close };
  }

  /** Makes an api check what it does at its start. */
  async function startAnswering(...urls: string[]): Promise<void> {
    const stores = ReadStores.open(urls, tools.pool);
    try {
      await stores.assertPlacements();
    } finally {
      await stores.close();
    }
  }

  /** The start of a projector's groups, without what a process that ends would leave open. */
  async function startProjecting(...urls: string[]): Promise<void> {
    const stores = openStorePools(urls);
    const refused = boundGroups({ ...tools, stores });
    const projector = new Projector({
      ...tools,
      groups: refused,
      maintenance: [],
      logger: createLogger('x', 'silent'),
    });
    try {
      await projector.start();
    } finally {
      await projector.stop();
      await Promise.all(stores.map(({ pool }) => pool.end()));
    }
  }

  const groups = () => boundGroups(tools);
  const standings = async () => (await listProjections(groups())).standings;
});
