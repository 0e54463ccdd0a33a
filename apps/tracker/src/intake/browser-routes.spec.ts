import request from 'supertest';
import { dayOf, startOfDay } from '@ledgerline/domain/time/zones';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { UNSEEN } from '@test/tracker/unseen';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('the routes that take what browsers do', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true' });
    await tracker.registerWebsite('site_1');
  });
  afterAll(() => tracker.stop());

  const post = (path: string, userAgent = BROWSER) =>
    request(tracker.app.getHttpServer()).post(path).set('user-agent', userAgent).set('x-forwarded-for', '81.2.69.142');

  describe('POST /batch', () => {
    const view = { name: 'screen_view', path: 'https://example.com/a', anonymousId: 'anon', sessionId: 'sess' };

    it('answers each item, and never fails for bad ones', async () => {
      const answer = await post('/batch?client_id=site_1').send([
        { ...view, eventId: 'v1', referrer: 'https://www.example.com/b' },
        { name: 'page_exit', eventId: 'v2' },
        { type: 'outgoing_link', eventId: 'v3', href: 'https://b.org/' },
      ]);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        status: 'partial',
        batch: true,
        processed: 2,
        results: [
          { status: 'success', type: 'track', eventId: 'v1' },
          {
            status: 'error',
            eventId: 'v2',
            message: 'path is missing',
            code: 'VALIDATION_ERROR',
            errors: [{ field: 'path', message: 'is missing' }],
          },
          { status: 'success', type: 'outgoing_link', eventId: 'v3' },
        ],
      });
      const seen = (await tracker.recorded()).find(({ type }) => type === 'PageViewed');
      expect(seen).toMatchObject({ data: { path: '/a', referrer: { host: 'www.example.com', own: true } } });
    });

    it('takes a beacon: text/plain, no headers, a doubled slash', async () => {
      const answer = await post('//batch?client_id=site_1')
        .set('content-type', 'text/plain;charset=UTF-8')
        .set('origin', 'https://example.com')
        .send(JSON.stringify([view]));
      expect([answer.status, (answer.body as { status: string }).status]).toEqual([200, 'success']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': 'https://example.com',
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      });
    });

    it.each([2, 30 * 24, -8 * 24])(
      'places the beacon of a device whose clock is %d h ahead on its own',
      async (hours) => {
        const sentAt = Date.now() + hours * 3_600_000;
        const name = `timed ${hours}`;
        const answer = await post(`/batch?client_id=site_1&sent_at=${sentAt}`)
          .set('content-type', 'text/plain;charset=UTF-8')
          .send(JSON.stringify([{ name, timestamp: sentAt - 60_000 }]));
        expect(answer.body).toMatchObject({ status: 'success', processed: 1 });
        const found = (await tracker.recorded()).find(({ data }) => 'name' in data && data.name === name);
        expect(found!.receivedAt - found!.at).toBe(60_000);
      },
    );

    it('names the difference of the clocks to who says when it was sent', async () => {
      const answers = [0, 90_000].map((ahead) =>
        post(`/batch?client_id=site_1&sent_at=${Date.now() + ahead}`).send([view]),
      );
      const [right, wrong] = (await Promise.all(answers)).map(
        ({ body }) => (body as { clockAhead: number }).clockAhead,
      );
      expect(right).toBe(0);
      expect(wrong).toBeGreaterThan(80_000);
      expect(wrong).toBeLessThanOrEqual(90_000);
      expect((await post('/batch?client_id=site_1').send([view])).body).not.toHaveProperty('clockAhead');
    });

    it('keeps the order of what a visitor sent without times', async () => {
      const anonymousId = 'orderly';
      const names = ['screen_view', 'signup', 'paid'];
      await post('/batch?client_id=site_1').send(names.map((name) => ({ name, path: '/orderly', anonymousId })));
      const found = (await tracker.recorded()).filter(({ data }) => 'path' in data && data.path === '/orderly');
      expect(found.map(({ type }) => type)).toEqual(['PageViewed', 'CustomEventTracked', 'CustomEventTracked']);
      expect(found.map(({ at, receivedAt }) => at - receivedAt)).toEqual([0, 1, 2]);
    });

    it('takes the website from its header, and the page from the allowed origins', () =>
      post('/batch')
        .set('databuddy-client-id', 'site_1')
        .set('origin', 'https://partner.org')
        .send([view])
        .expect(200));

    it('knows a visitor by the address, whatever port and spelling come with it', async () => {
      const path = '/addresses';
      for (const address of ['8.8.8.8:51234', '8.8.8.8:51235', '[::ffff:8.8.8.8]:80', '::FFFF:808:808', '8.8.8.8'])
        await post('/batch?client_id=site_1')
          .set('x-forwarded-for', address)
          .send([{ name: 'screen_view', path }]);
      const views = (await tracker.recorded()).filter(({ data }) => 'path' in data && data.path === path);
      expect(views).toHaveLength(5);
      const [visitor, ...others] = new Set(views.map(({ data }) => ('visitorId' in data ? data.visitorId : null)));
      expect([typeof visitor, others]).toEqual(['string', []]);
      expect(views.map(({ data }) => 'country' in data && data.country)).toEqual(Array(5).fill('US'));
    });

    it('keeps bots apart', async () => {
      const before = (await tracker.recorded()).length;
      const answer = await post('/batch?client_id=site_1', BOT).send([view]);
      expect([answer.status, answer.text]).toEqual([204, '']);
      const [judged, ...others] = (await tracker.recorded()).filter(({ type }) => type === 'HitJudgedBot');
      expect([others, (await tracker.recorded()).length - before]).toEqual([[], 1]);
      expect(judged).toMatchObject({
        data: { userAgent: BOT, bot: 'Googlebot', rule: 'isbot', hit: { type: 'PageViewed', data: { path: '/a' } } },
      });
    });

    it('answers what nobody sees as ever, and counts nothing of it', async () => {
      for (const purpose of UNSEEN) {
        const before = await tracker.recorded();
        const answer = await post('/batch?client_id=site_1').set(purpose).send([view]);
        expect([answer.status, (answer.body as { status: string }).status]).toEqual([200, 'success']);
        const [judged, ...others] = (await tracker.recorded()).slice(before.length);
        expect([others, judged?.type, judged?.data]).toMatchObject([
          [],
          'HitJudgedBot',
          { userAgent: '', bot: null, rule: 'not-seen', ruleVersion: '1', hit: { type: 'PageViewed' } },
        ]);
      }
      await post('/batch?client_id=site_1')
        .set('sec-purpose', 'navigate')
        .send([{ ...view, path: '/seen' }]);
      expect((await tracker.recorded()).at(-1)).toMatchObject({ type: 'PageViewed', data: { path: '/seen' } });
    });

    it('refuses what names no website', async () => {
      expect((await post('/batch').send([view])).status).toBe(400);
      expect((await post('/batch?client_id=nothing').send([view])).status).toBe(400);
    });
  });

  describe('POST /', () => {
    it('takes one event', async () => {
      const answer = await post('/?client_id=site_1').send({ name: 'screen_view', path: '/one' });
      expect([answer.status, answer.body]).toEqual([200, { status: 'success', type: 'track' }]);
    });

    it('takes an outgoing link', async () => {
      const answer = await post('/?client_id=site_1').send({ type: 'outgoing_link', href: 'https://b.org' });
      expect(answer.body).toEqual({ status: 'success', type: 'outgoing_link' });
    });

    it('refuses a bad one', () => post('/?client_id=site_1').send({ name: 'screen_view' }).expect(400));
  });

  it.each([
    ['of UTC, where that is the afternoon', 'UTC', [-10, 10, 50], [0, 0, 0]],
    ['of its website, and until it is over', 'America/Los_Angeles', [-10, 10, 50], [0, 0, 1]],
  ])('sees one visitor before and after the midnight %s', async (_, zone, minutes, visitors) => {
    const client = `site_${zone.slice(-3).toLowerCase()}`;
    await tracker.registerWebsite(client, { timezone: 'America/Los_Angeles' });
    const midnight = startOfDay(dayOf(Date.now() - 2 * 3_600_000, zone), zone);
    for (const [n, minute] of minutes.entries()) {
      const timestamp = midnight + minute * 60_000;
      const item = { name: 'screen_view', path: `/${n}`, sessionId: 'late', timestamp };
      await post(`/?client_id=${client}`).send(item).expect(200);
    }
    const views = (await tracker.recorded())
      .flatMap((event) => (event.type === 'PageViewed' && event.data.websiteId === client ? [event] : []))
      .sort((a, b) => a.at - b.at);
    const numbered = (values: readonly (string | null)[]) => values.map((value) => [...new Set(values)].indexOf(value));
    expect(numbered(views.map(({ data }) => data.visitorId))).toEqual(visitors);
    expect(numbered(views.map(({ data }) => data.sessionId))).toEqual(visitors);
  });

  it('never records an address or a visitor’s user agent', async () => {
    const text = JSON.stringify((await tracker.recorded()).filter(({ type }) => type !== 'HitJudgedBot'));
    expect(text).not.toContain('81.2.69.142');
    expect(text).not.toContain('Mozilla');
    expect(text).not.toContain('"anon"');
  });
});
