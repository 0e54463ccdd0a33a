import request from 'supertest';
import type { DataSource } from 'typeorm';
import type { PageViewed, VisitorIdentified } from '@ledgerline/contracts/events/observed-events';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { ProfileKey, ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { unsealProfileId, unsealTrait } from '@ledgerline/platform/profiles/sealed-profile';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const ANN = { profileId: 'ann@example.com', anonymousId: 'anon', traits: { name: 'Ann', email: 'Ann@Example.com ' } };

describe('POST /identify', () => {
  let tracker: RunningTracker;
  let source: DataSource;
  let key: string;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    await tracker.registerWebsite('site_monthly', { visitorIdentity: 'monthly' });
    await tracker.registerWebsite('site_stable', { visitorIdentity: 'stable' });
    key = await tracker.createKey('key_1');
    source = await openDataSource({ url: tracker.settings.databaseUrl, name: 'spec', max: 1, entities: [ProfileKey] });
  });
  afterAll(async () => {
    await source.destroy();
    await tracker.stop();
  });

  const post = (path: string, body: object) =>
    request(tracker.app.getHttpServer()).post(path).set('user-agent', BROWSER).send(body);

  const recorded = async () =>
    (await tracker.recorded()).filter((event): event is VisitorIdentified => event.type === 'VisitorIdentified');

  it('records who a visitor is, readable only with the key of the profile', async () => {
    const answer = await post('/identify?client_id=site_1', ANN);
    expect([answer.status, answer.body]).toEqual([200, { status: 'success', type: 'identify' }]);
    expect(answer.headers['x-log-position']).toMatch(/^i\d+:\d+$/);
    const event = (await recorded()).at(-1)!;
    expect(JSON.stringify(event)).not.toMatch(/ann@|"ann"/i);
    const sealing = await new ProfileKeys(source).obtain('site_1', ANN.profileId);
    expect(event.data.subject).toBe(sealing.subject.replaceAll('-', ''));
    expect(unsealProfileId(sealing, event.data.profileId)).toBe(ANN.profileId);
    const { name, email } = event.data.traits;
    expect([unsealTrait(sealing, 'name', name!), unsealTrait(sealing, 'email', email!)]).toEqual([
      'Ann',
      'ann@example.com',
    ]);
  });

  it('names the visitor that events with the same ids have', async () => {
    for (const ids of [{ anonymousId: 'anon' }, { profileId: 'p-1' }]) {
      await post('/track?website_id=site_1', { name: 'paid', ...ids });
      await post('/identify', { profileId: 'p-1', websiteId: 'site_1', ...ids }).set('x-api-key', key);
      const [event, identified] = (await tracker.recorded()).slice(-2);
      expect(identified?.type).toBe('VisitorIdentified');
      const visitors = [event, identified].map((one) => one && 'visitorId' in one.data && one.data.visitorId);
      expect(visitors[0]).toEqual(visitors[1]);
    }
  });

  it.each(['site_1', 'site_monthly', 'site_stable'])(
    'names the visitor of the page views of this browser, which send no ids: %s',
    async (site) => {
      await post(`/batch?client_id=${site}`, [{ name: 'screen_view', path: '/' }]);
      await post(`/identify?client_id=${site}`, { profileId: 'customer-7', anonymizeVisitorIds: false });
      const [view, identified] = (await tracker.recorded()).slice(-2);
      expect([view, identified]).toMatchObject([{ type: 'PageViewed' }, { type: 'VisitorIdentified' }]);
      expect(identified?.data).toMatchObject({ visitorId: (view as PageViewed).data.visitorId });
    },
  );

  it('names the visitor of every hit that names a profile, also where a browser said who it is', async () => {
    await post('/identify?client_id=site_1', { profileId: 'p-8', traits: { name: 'Grace' } });
    const said = (await recorded()).at(-1)!;
    const hits = [{}, { anonymousId: 'other' }, {}].map((ids) => ({ name: 'paid', websiteId: 'site_1', ...ids }));
    const body = hits.map((hit, place) => ({ ...hit, profileId: 'p-8', eventId: `paid ${place}` }));
    for (let time = 0; time < 2; time++) await post('/track', body).set('x-api-key', key).expect(200);
    const paid = (await tracker.recorded()).flatMap((event) =>
      event.type === 'CustomEventTracked' && event.data.name === 'paid' ? [event.data.visitorId] : [],
    );
    const named = (await recorded()).filter(({ data }) => data.subject === said.data.subject).slice(1);
    expect(new Set(named.map(({ data }) => data.visitorId))).toEqual(new Set(paid.slice(-3)));
    expect(named).toHaveLength(2);
    const sealing = await new ProfileKeys(source).obtain('site_1', 'p-8');
    for (const { data } of named) expect([unsealProfileId(sealing, data.profileId), data.traits]).toEqual(['p-8', {}]);
    expect(new Set(named.map(({ data }) => data.visitorId)).has(said.data.visitorId)).toBe(false);
  });

  it('removes traits that are null, and takes none at all', async () => {
    await post('/identify?client_id=site_1', { profileId: 'p-2', traits: { plan: null, seats: 3, admin: true } });
    expect((await recorded()).at(-1)?.data.traits).toMatchObject({
      plan: null,
      seats: expect.any(String) as string,
      admin: expect.any(String) as string,
    });
    expect((await post('/identify?client_id=site_1', { profileId: 'p-2' })).status).toBe(200);
    expect((await recorded()).at(-1)?.data.traits).toEqual({});
  });

  it('stores a repeated event id once', async () => {
    const before = (await recorded()).length;
    for (let time = 0; time < 2; time++) {
      expect((await post('/identify?client_id=site_1', { ...ANN, eventId: 'e-1' })).status).toBe(200);
    }
    expect(await recorded()).toHaveLength(before + 1);
  });

  it.each([
    [{}, 'profileId', 'is missing'],
    [{ profileId: '  ' }, 'profileId', 'must not be empty'],
    [{ profileId: 'x'.repeat(129) }, 'profileId', 'must not have more than 128 characters'],
    [{ profileId: 'p', traits: ['a'] }, 'traits', 'must be object'],
    [{ profileId: 'p', traits: { address: { city: 'Paris' } } }, 'traits.address', 'must be a text, number'],
    [{ profileId: 'p', traits: { ' ': 1 } }, 'traits', 'empty name'],
    [{ profileId: 'p', traits: { bio: 'x'.repeat(33_000) } }, 'traits', '32 KiB'],
    [
      { profileId: 'p', traits: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`t${at}`, 1])) },
      'traits',
      '50 keys',
    ],
  ])('refuses %j', async (body, field, message) => {
    const before = (await recorded()).length;
    const refusal = await post('/identify?client_id=site_1', body);
    expect(refusal.status).toBe(400);
    expect(refusal.body).toMatchObject({
      status: 'error',
      code: 'VALIDATION_ERROR',
      errors: [{ field, message: expect.stringContaining(message) as string }],
    });
    expect(await recorded()).toHaveLength(before);
  });

  it('wants to know which website it is about', async () => {
    expect((await post('/identify', ANN)).status).toBe(401);
    expect((await post('/identify', ANN).set('x-api-key', key)).status).toBe(400);
    expect((await post('/identify?client_id=site_none', ANN)).status).toBe(400);
  });
});
