import request from 'supertest';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const WHO = { path: 'https://example.com/a', anonymousId: 'constant', sessionId: 'constant' };

describe('a visitor who sends without end', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker({ LIMIT_HITS_PER_VISITOR_PER_DAY: '3' });
    await tracker.registerWebsite('site_1');
  });
  afterAll(() => tracker.stop());

  const post = (path: string, items: readonly object[]) =>
    request(tracker.app.getHttpServer()).post(`${path}?client_id=site_1`).set('user-agent', BROWSER).send(items);

  it('loses the name and nothing else, over all kinds of events', async () => {
    const view = { ...WHO, name: 'screen_view' };
    await post('/batch', [view, { ...WHO, name: 'signup' }]).expect(200);
    await post('/vitals', [{ ...WHO, metricName: 'LCP', metricValue: 1800 }]).expect(200);
    const answer = await post('/batch', [view, { ...view, anonymousId: 'another' }]);
    expect([answer.status, (answer.body as { processed: number }).processed]).toEqual([200, 2]);
    const named = (await tracker.recorded()).map(({ type, data }) => {
      const { visitorId, sessionId } = data as { visitorId: string | null; sessionId: string | null };
      return [type, visitorId !== null, sessionId !== null];
    });
    expect(named).toEqual([
      ['PageViewed', true, true],
      ['CustomEventTracked', true, true],
      ['VitalMeasured', true, true],
      ['PageViewed', false, false],
      ['PageViewed', true, true],
    ]);
  });
});
