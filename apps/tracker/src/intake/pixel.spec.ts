import request from 'supertest';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { BROWSER } from '../../../../scripts/supervisor/screen';

describe('GET /px.jpg', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
  });
  afterAll(() => tracker.stop());

  const load = (query: Readonly<Record<string, string>>) =>
    request(tracker.app.getHttpServer())
      .get('/px.jpg')
      .query({ client_id: 'site_1', ...query })
      .set('user-agent', BROWSER)
      .set('referer', 'https://example.com/no-script?utm_source=mail');

  it('counts a view of the page that shows it', async () => {
    const answer = await load({});
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/gif']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect((answer.body as Buffer).subarray(0, 6).toString()).toBe('GIF89a');
    const [view] = await tracker.recorded();
    expect(view).toMatchObject({ type: 'PageViewed', data: { path: '/no-script', utm: { source: 'mail' } } });
  });

  it('takes an event of its own, with numbers and properties', async () => {
    const at = Date.now() - 5_000;
    await load({ name: 'opened', timestamp: String(at), properties: '{"mail":7}', eventId: 'e1' }).expect(200);
    await load({ name: 'opened', timestamp: String(at), properties: '{"mail":7}', eventId: 'e1' }).expect(200);
    const opened = (await tracker.recorded()).filter(({ type }) => type === 'CustomEventTracked');
    expect(opened).toMatchObject([{ at, data: { name: 'opened', properties: { mail: 7 } } }]);
  });

  it('keeps integers that are no numbers here as they were written', async () => {
    await load({ name: 'paid', properties: '{"order":12345678901234567890,"total":7}' }).expect(200);
    const paid = (await tracker.recorded()).find(({ data }) => 'name' in data && data.name === 'paid');
    expect(paid).toMatchObject({ data: { properties: { order: '12345678901234567890', total: 7 } } });
  });

  it.each([
    [{ client_id: 'site_none' }, 'client_id'],
    [{ timestamp: 'soon' }, 'timestamp'],
    [{ name: 'page_exit', path: 'ftp://x' }, 'path'],
    [{ name: 'page_exit', scroll_depth: 'deep' }, 'scroll_depth'],
  ])('names what is wrong with %j', async (query, field) => {
    const answer = await load(query);
    expect([answer.status, answer.headers['content-type']]).toEqual([400, 'application/json; charset=utf-8']);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is shown where nobody sees the page yet, and counts nothing', async () => {
    const before = (await tracker.recorded()).length;
    const answer = await load({}).set('sec-purpose', 'prefetch;prerender');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/gif']);
    const recorded = (await tracker.recorded()).slice(before);
    expect(recorded).toMatchObject([{ type: 'HitJudgedBot', data: { rule: 'not-seen', userAgent: '' } }]);
  });

  it('is no event of a bot', async () => {
    const before = (await tracker.recorded()).length;
    await load({}).set('user-agent', 'Googlebot/2.1').expect(204);
    const [judged] = (await tracker.recorded()).slice(before);
    expect(judged).toMatchObject({ type: 'HitJudgedBot' });
  });
});
