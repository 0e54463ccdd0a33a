import request from 'supertest';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

const WHO = { path: 'https://example.com/a/', anonymousId: 'anon', sessionId: 'sess' };
const VITAL = { ...WHO, metricName: 'LCP', metricValue: 1800 };
const FAILED = { ...WHO, message: 'x is not a function', stack: 'TypeError\n\tat f', lineno: 3 };
const SPAN = { ...WHO, timeOnPage: 12.5, activeTime: 8, clickCount: 2 };

const ROUTES = [
  {
    name: 'vitals',
    type: 'VitalMeasured',
    good: VITAL,
    bad: { ...VITAL, metricValue: 'fast' },
    reason: { field: 'metricValue', message: 'must be number' },
    most: 20,
    data: { path: '/a', metric: 'LCP', value: 1800, browser: 'Chrome', device: 'desktop', zone: 'Europe/Berlin' },
  },
  {
    name: 'errors',
    type: 'ErrorRecorded',
    good: FAILED,
    bad: { ...WHO, path: 7 },
    reason: { field: 'path', message: 'must be string' },
    most: 50,
    data: { path: '/a', message: 'x is not a function', stack: 'TypeError\n\tat f', line: 3, browser: 'Chrome' },
  },
  {
    name: 'engagement',
    type: 'EngagementMeasured',
    good: SPAN,
    bad: { ...SPAN, clickCount: 'two' },
    reason: { field: 'clickCount', message: 'must be number' },
    most: 20,
    data: { path: '/a', timeOnPage: 12.5, span: { activeTime: 8, clickCount: 2 }, zone: 'Europe/Berlin' },
  },
] as const;

describe('the routes that take reports of browsers', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
  });
  afterAll(() => tracker.stop());

  const post = (path: string, userAgent = BROWSER) =>
    request(tracker.app.getHttpServer()).post(path).set('user-agent', userAgent);

  const recorded = async (type: string) => (await tracker.recorded()).filter((event) => event.type === type);

  describe.each(ROUTES)('POST /$name', ({ name, type, good, bad, reason, most, data }) => {
    const path = `/${name}?client_id=site_1`;

    it('takes a beacon, once for each event id', async () => {
      const beacon = () =>
        post(`/${path}`)
          .set('content-type', 'text/plain;charset=UTF-8')
          .set('origin', 'https://www.example.com')
          .send(JSON.stringify([{ ...good, eventId: 'e1' }]));
      for (let n = 0; n < 2; n++) {
        const answer = await beacon();
        expect([answer.status, answer.body]).toEqual([200, { status: 'success', type: name, count: 1 }]);
        expect(answer.headers['access-control-allow-origin']).toBe('https://www.example.com');
      }
      const visitorId = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
      expect(await recorded(type)).toMatchObject([{ data: { ...data, websiteId: 'site_1', visitorId } }]);
    });

    if (name !== 'errors')
      it('takes revisions of a report, each once, with ids that say so; none is revision 0', async () => {
        const before = (await recorded(type)).length;
        for (const revision of [undefined, null, 0, 1, 1, 4_294_967_295])
          await post(path)
            .send([{ ...good, eventId: 'revised', revision }])
            .expect(200);
        const ids = (await recorded(type)).slice(before).map(({ id }) => decodeEventId(id).toString('hex'));
        expect(ids.map((id) => id.slice(24))).toEqual(['00000000', '00000001', 'ffffffff']);
        expect(new Set(ids.map((id) => id.slice(0, 24))).size).toBe(1);
      });

    it('takes the good ones and names the bad ones', async () => {
      const answer = await post(path).send([bad, good, { ...good, timestamp: '2026-02-30T00:00:00Z' }]);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          status: 'success',
          type: name,
          count: 1,
          errors: [
            { index: 0, ...reason },
            { index: 2, field: 'timestamp', message: 'must be epoch milliseconds or an ISO 8601 time that exists' },
          ],
        },
      ]);
    });

    it('refuses what holds nothing good', async () => {
      const answer = await post(path).send([bad]);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        success: false,
        code: 'VALIDATION_ERROR',
        errors: [{ index: 0, ...reason }],
      });
      expect((await post(path).send([])).status).toBe(400);
    });

    it(`takes ${most} and no more`, async () => {
      expect((await post(path).send(Array(most).fill(good))).body).toMatchObject({ count: most });
      const answer = await post(path).send(Array(most + 1).fill(good));
      expect([answer.status, (answer.body as { message: string }).message]).toEqual([
        400,
        `A request must not have more than ${most} items.`,
      ]);
    });

    it('keeps bots apart', async () => {
      const before = (await recorded(type)).length;
      const answer = await post(path, BOT).send([good]);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect((await recorded('HitJudgedBot')).at(-1)).toMatchObject({ data: { bot: 'Googlebot', hit: { type } } });
      expect(await recorded(type)).toHaveLength(before);
    });

    it('refuses foreign pages and what names no website', async () => {
      expect((await post(path).set('origin', 'https://evil.example').send([good])).status).toBe(403);
      expect((await post(`/${name}`).send([good])).status).toBe(400);
      expect((await post(`/${name}?client_id=nothing`).send([good])).status).toBe(400);
    });
  });

  it('takes 128 KiB of errors and no more', async () => {
    const sized = (bytes: number) => JSON.stringify([{ ...FAILED, more: 'x'.repeat(bytes) }]);
    const status = async (body: string) => (await post('/errors?client_id=site_1').type('text').send(body)).status;
    expect(await status(sized(127 * 1024))).toBe(200);
    expect(await status(sized(128 * 1024))).toBe(413);
  });
});
