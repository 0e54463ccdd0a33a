import type { Pool } from 'pg';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { urlOfMoment } from '@ledgerline/platform/read-stores/kept-moments';
import { POOL } from '../../apps/api/src/tokens';
import { projections } from '../../scripts/projections/projections';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { linkClicked, pageView } from '../events/observed-events';
import { waitUntil } from '../wait-until';
import { startStoreProduct, type StoreProduct } from './store-product';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const CLEO = 'c'.repeat(32);

describe('a snapshot', () => {
  it('has the figures of its moment, while the live ones go on', async () => {
    expect(await visitors('tuesday')).toBe(2);
    expect(await visitors()).toBe(3);
    const { meta } = await question('tuesday');
    expect(meta).toMatchObject({ snapshot: 'tuesday', asOf: tuesday.toISOString().replace(/\.\d+/, '.000'), lagMs: 0 });
    expect(meta.notes[0]).toMatch(/^The snapshot "tuesday" has what had arrived by .*; definitions are today's\.$/);
    const clicks = await question('tuesday', 'link_total_clicks', `link_id=${linkId}`);
    expect(clicks.data).toMatchObject([{ data: [{ total: 1 }] }]);
  });

  it('is of a position, too', async () => {
    await make('second', position);
    expect(await visitors('second')).toBe(2);
  });

  it('counts presets from its moment', async () => {
    const { meta } = await question('tuesday', 'summary_metrics', undefined, { preset: 'today' });
    expect(meta.endDate).toBe(tuesday.toISOString().slice(0, 10));
  });

  it('is listed, refused twice, without room and in the future, and gone once it is dropped', async () => {
    await expect(make('tuesday')).rejects.toThrow('There is a snapshot "tuesday"');
    await expect(make('no-room', undefined, '--room', '1')).rejects.toThrow(/The snapshot would take up to .* MB/);
    await expect(make('later', '2999-01-01T00:00:00Z')).rejects.toThrow('is to come');
    await expect(make('when', 'yesterday')).rejects.toThrow('is no time with its zone');
    await expect(make('Bad Name')).rejects.toThrow('A name has up to 30 letters');
    await make('gone');
    expect(await visitors('gone')).toBe(3);
    await projections(['drop-snapshot', 'gone'], variables());
    expect((await asked('gone')).body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'snapshot' }] });
    await expect(projections(['drop-snapshot', 'gone'], variables())).rejects.toThrow('There is no snapshot "gone"');
    expect(await databases()).toEqual(['second', 'tuesday']);
  });

  it('is one for all requests of a batch', async () => {
    const answer = await ask(product.api, `POST /v1/query?website_id=${owner.websiteId}`, {
      body: [bodyOf('tuesday'), bodyOf('second')],
      headers: owner.headers,
    });
    expect(answer.body).toMatchObject({
      details: [{ field: 'snapshot', message: expect.stringContaining('the same') as string }],
    });
  });

  it('loses visitors that are erased later, which receipts wait for, and has none that were erased before', async () => {
    const { organizationId, websiteId, headers } = owner;
    const held = openPool({ url: urlOfMoment(product.api.settings.databaseUrl, 'tuesday'), name: 'spec', max: 1 });
    await run(held, sql`select pg_advisory_lock(hashtext('ledgerline rebuild websites'))`);
    const body = { organizationId, subject: { websiteId, visitorId: BOB } };
    const { id } = (await ask(product.api, 'POST /v1/erasures', { body, headers })).body;
    const receipt = async () => (await ask(product.api, `GET /v1/erasures/${id as string}`, owner)).body;
    const rewritten = sql`select from events where type = 'HitsRewritten' and data->>'rules' is not null`;
    await waitUntil(
      () => run(product.api.app.get<Pool>(POOL), rewritten),
      ({ length }) => length > 0,
    );
    expect([await visitors(), await visitors('tuesday')]).toEqual([2, 2]);
    expect(await receipt()).toMatchObject({ state: 'erasing', checks: { readStores: 1 } });
    await held.end();
    await waitUntil(receipt, ({ state }) => state === 'completed');
    expect(await visitors('tuesday')).toBe(1);
    await make('again', tuesday.toISOString());
    expect(await visitors('again')).toBe(1);
  });

  let product: StoreProduct;
  let owner: Owner;
  let linkId: string;
  let tuesday: Date;
  let position: string;

  const variables = () => ({ DATABASE_URL: product.api.settings.databaseUrl, DATA_DIR: product.api.settings.dataDir });

  const make = (name: string, until?: string, ...more: readonly string[]) =>
    projections(['snapshot', name, ...(until === undefined ? [] : ['--until', until]), ...more], variables());

  const bodyOf = (snapshot: string | undefined, type = 'summary_metrics', range: object = { preset: 'last_7d' }) => ({
    ...range,
    parameters: [type],
    ...(snapshot === undefined ? {} : { snapshot }),
  });

  const asked = (snapshot?: string, type?: string, of = `website_id=${owner.websiteId}`, range?: object) =>
    ask(product.api, `POST /v1/query?${of}`, { body: bodyOf(snapshot, type, range), headers: owner.headers });

  interface Answer {
    readonly data: readonly { readonly data: readonly Record<string, number>[] }[];
    readonly meta: Record<string, unknown> & { readonly notes: readonly string[] };
  }

  const question = async (...of: Parameters<typeof asked>) => (await asked(...of)).body as unknown as Answer;

  const visitors = async (snapshot?: string) => (await question(snapshot)).data[0]?.data[0]?.['unique_visitors'];

  async function databases(): Promise<readonly string[]> {
    const rows = await run<{ name: string }>(
      product.api.app.get<Pool>(POOL),
      sql`select split_part(datname, '_snapshot_', 2) as name from pg_database
          where starts_with(datname, current_database() || '_snapshot_') order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  const view = (visitorId: string) => pageView(Date.now() - 60_000, { websiteId: owner.websiteId, visitorId });

  async function send(...visitorIds: readonly string[]): Promise<void> {
    await product.send(owner.websiteId, visitorIds.map(view));
    expect(await product.includes('websites', owner.websiteId)).toBe(true);
  }

  beforeAll(async () => {
    product = await startStoreProduct({});
    const { api } = product;
    owner = await ownerWithWebsite(api);
    const { organizationId, headers } = owner;
    const details = { organizationId, name: 'News', targetUrl: 'https://example.com/', slug: 'news' };
    linkId = (await ask(api, 'POST /v1/links', { body: details, headers })).body.id as string;
    await product.send(linkId, [linkClicked(Date.now() - 60_000, { linkId })]);
    await send(ANN, BOB);
    const pool = openPool({ url: api.settings.databaseUrl, name: 'spec', max: 1 });
    const heads = await run<{ now: Date; head: string }>(
      pool,
      sql`select clock_timestamp() as now, string_agg('i' || partition || ':' || next_offset - 1, ',') as head
          from intake_heads where next_offset > 0`,
    );
    await pool.end();
    tuesday = heads[0]!.now;
    position = heads[0]!.head;
    await send(CLEO);
    await product.send(linkId, [linkClicked(Date.now() - 60_000, { linkId })]);
    await make('tuesday', tuesday.toISOString());
  });
  afterAll(async () => {
    for (const name of await databases()) await projections(['drop-snapshot', name], variables());
    await product.close();
  });
});
