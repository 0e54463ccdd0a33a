import { openPool } from '@ledgerline/platform/database/pool';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { rewriteFiles } from '../../apps/projector/src/erasures/rewrite-files';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { linkClicked, pageView } from '../events/observed-events';
import { startStoreProduct, type StoreProduct } from '../read-stores/store-product';
import { waitUntil } from '../wait-until';
import { placesOf, storedInTables } from './stored-bytes';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const DAY_MS = 86_400_000;
const NOON = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2;

it('exports what the log has of a profile, for its owner, and records that without the profile', async () => {
  const { organizationId, websiteId, headers } = owner;
  const exported = async (subject: object) => {
    const body = { organizationId, subject: { websiteId, ...subject } };
    const { status, text } = await ask(product.api, 'POST /v1/people/export', { body, headers });
    const lines = text.trim().split('\n');
    return { status, records: lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
  };
  const { status, records } = await exported({ profileId: 'ann' });
  expect(status).toBe(200);
  expect(records.map(({ kind, type }) => type ?? kind)).toEqual([
    ...['subject', 'PageViewed', 'PageViewed', 'VisitorIdentified', 'LinkClicked', 'end'],
  ]);
  expect(records[3]).toMatchObject({ kind: 'identification', data: { profileId: 'ann', traits: { plan: 'pro' } } });
  expect(records[5]).toEqual({ kind: 'end', events: 4 });
  const bob = await exported({ visitorId: BOB });
  expect(bob.records.map(({ kind }) => kind)).toEqual(['subject', 'event', 'end']);
  expect((await exported({ profileId: 'unknown' })).status).toBe(404);
  const wrong = await exported({ visitorId: BOB, profileId: 'ann' });
  expect(wrong).toMatchObject({ status: 400, records: [{ details: [{ field: 'subject' }] }] });
  const log = await ask(product.api, `GET /v1/audit-log?organizationId=${organizationId}&limit=2`, owner);
  const [entry] = log.body.data as readonly object[];
  expect(entry).toMatchObject({ action: 'person.exported', target: { type: 'website', id: websiteId } });
  for (const id of ['ann', BOB]) expect(JSON.stringify(log.body)).not.toContain(id);
});

/** The api, the projector and its schedule, as they run. */
it('erases the visits of a profile, and the clicks that led to them, from all figures', async () => {
  expect(await figures()).toEqual({ visitors: 2, conversions: 3, started: 2, clicks: 2 });
  const body = { organizationId: owner.organizationId, subject: { websiteId: owner.websiteId, profileId: 'ann' } };
  expect(placesOf(await storedInTables(product.api.settings.databaseUrl), ['planted-ann@']).sort()).toEqual(
    ['public.dictionary', 'public.intake_segments'].map((place) => `planted-ann@ in ${place}`),
  );
  const before = await ask(product.api, 'POST /v1/erasures/preview', { body, headers: owner.headers });
  expect(before.body).toMatchObject({ visitors: 1, sessions: 1, events: 2, clicks: 1 });
  expect(before.body.firstAt).toBe(new Date(NOON + 60_000).toISOString());
  const requested = await ask(product.api, 'POST /v1/erasures', { body, headers: owner.headers });
  expect(requested).toMatchObject({ status: 202, body: { state: 'erasing' } });
  await waitUntil(
    () => ask(product.api, `GET /v1/erasures/${requested.body.id as string}`, owner),
    ({ body: { state } }) => state === 'completed',
  );
  expect(await figures()).toEqual({ visitors: 1, conversions: 1, started: 1, clicks: 1 });
  const listed = await ask(product.api, `GET /v1/erasures?organizationId=${owner.organizationId}`, owner);
  expect(listed.body).toMatchObject({ data: [{ id: requested.body.id, state: 'completed' }], hasMore: false });
  const checks = { rules: 3, readStores: 1, events: 4 };
  expect(listed.body).toMatchObject({ data: [{ checks, files: { isDone: false } }] });
  expect(placesOf(await storedInTables(product.api.settings.databaseUrl), ['planted-'])).toEqual([]);
  await rewriteAllFiles();
  const receipt = await ask(product.api, `GET /v1/erasures/${requested.body.id as string}`, owner);
  expect(receipt.body).toMatchObject({ state: 'completed', files: { isDone: true } });
  expect(await figures()).toEqual({ visitors: 1, conversions: 1, started: 1, clicks: 1 });
  await product.send(owner.websiteId, [view(ANN, 20), { ...view(ANN, 0), at: Date.now() }]);
  expect(await product.includes('websites', owner.websiteId)).toBe(true);
  expect(await figures()).toEqual({ visitors: 2, conversions: 2, started: 2, clicks: 1 });
});

/** As projectors do half a day later. */
async function rewriteAllFiles(): Promise<void> {
  const pool = openPool({ url: product.api.settings.databaseUrl, name: 'spec', max: 1 });
  try {
    expect(await rewriteFiles(pool, Date.now() + DAY_MS, new AbortController().signal)).toBeGreaterThan(20);
  } finally {
    await pool.end();
  }
}

let product: StoreProduct;
let owner: Owner;
let linkId: string;

const view = (visitorId: string, minute: number, click?: { id: string; linkId: string }) => {
  const event = pageView(NOON + minute * 60_000, { websiteId: owner.websiteId, visitorId, ...(click && { click }) });
  return { ...event, receivedAt: Date.now() };
};

/** From which figures a visitor has to be gone. */
async function figures() {
  const condition = { kind: 'page' };
  const funnel = { steps: [{ condition }, { condition }], window: '1h' };
  const parameters = [
    'summary_metrics',
    { name: 'goals', goals: [{ name: 'Views', condition }] },
    { name: 'funnel', funnel },
  ];
  const asked = async (of: string, names: readonly unknown[]) => {
    const body = { preset: 'last_7d', parameters: names };
    const { data } = (await ask(product.api, `POST /v1/query?${of}`, { body, headers: owner.headers })).body;
    return (data as { data: Record<string, number>[] }[]).map(({ data: [row] }) => row);
  };
  const [summary, goal, step] = await asked(`website_id=${owner.websiteId}`, parameters);
  const [clicked] = await asked(`link_id=${linkId}`, ['link_total_clicks']);
  const { unique_visitors: visitors } = summary!;
  return { visitors, conversions: goal!['conversions'], started: step!['reached'], clicks: clicked!['total'] };
}

beforeAll(async () => {
  product = await startStoreProduct({});
  const { api } = product;
  owner = await ownerWithWebsite(api);
  const { organizationId, websiteId, headers } = owner;
  const details = { organizationId, name: 'News', targetUrl: 'https://example.com/', slug: 'news' };
  linkId = (await ask(api, 'POST /v1/links', { body: details, headers })).body.id as string;
  const clicks = [0, 1].map((minute) => linkClicked(NOON + minute * 60_000, { linkId }));
  await product.send(linkId, clicks);
  const sealing = await api.app.get(ProfileKeys).obtain(websiteId, 'ann');
  const { data, ...hit } = view(ANN, 3);
  const { zone, identity, sessionId, visitorId } = data;
  const stamp = { organizationId, websiteId, zone, identity, sessionId, visitorId };
  const sealed = sealProfile(sealing, 'ann', { plan: 'pro' });
  await product.send(websiteId, [
    view(ANN, 1, { id: clicks[0]!.id, linkId }),
    { ...view(ANN, 2), data: { ...view(ANN, 2).data, path: '/planted-ann@path', query: 'email=planted-ann@query' } },
    view(BOB, 4),
    { ...hit, type: 'VisitorIdentified', data: { ...stamp, ...sealed } },
  ]);
  expect(await product.includes('websites', websiteId)).toBe(true);
  expect(await product.includes('links', linkId)).toBe(true);
});
afterAll(() => product.close());
