import request from 'supertest';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { INTAKE_LOG } from '../tokens';

const BROWSER =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

describe('every route that takes events', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker({ TRUST_PROXY: 'true' });
    await tracker.registerWebsite('site_1');
  });
  afterAll(() => tracker.stop());

  const post = (path: string) =>
    request(tracker.app.getHttpServer()).post(path).set('user-agent', BROWSER).set('x-forwarded-for', '81.2.69.142');

  it('is answered by what no browser takes for anything else', async () => {
    const answer = await request(tracker.app.getHttpServer()).get('/health');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('answers preflights', async () => {
    const answer = await request(tracker.app.getHttpServer())
      .options('//anything/at/all')
      .set('origin', 'https://example.com')
      .set('access-control-request-headers', 'x-api-key');
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-origin']).toBe('https://example.com');
    expect(answer.headers['access-control-allow-headers']).toContain('databuddy-sdk-version');
  });

  it.each([
    ['a body that is no JSON', '/track', 'text', 400, 'VALIDATION_ERROR'],
    ['a body that is too large', '/track', JSON.stringify({ name: 'x'.repeat(1_100_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['a body of too many objects', '/batch', `[${'{},'.repeat(20_000)}{}]`, 413, 'PAYLOAD_TOO_LARGE'],
    ['an unknown path', '/nothing/here', '{}', 404, 'NOT_FOUND'],
    ['a path that cannot be read', '/%zz', '{}', 400, 'VALIDATION_ERROR'],
  ])('explains what is wrong with %s', async (_, path, body, status, code) => {
    const answer = await post(path).set('origin', 'https://example.com').set('content-type', 'text/plain').send(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, status: 'error', code });
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['x-request-id']).toBeDefined();
    expect(answer.headers['access-control-allow-origin']).toBe('https://example.com');
  });

  it('accepts nothing while the log is away, and sends Retry-After', async () => {
    const log = tracker.app.get<IntakeLog>(INTAKE_LOG);
    const away = jest.spyOn(log, 'send').mockRejectedValue(new LogUnavailable('away'));
    const answer = await post('/track?website_id=site_1').send({ name: 'lost' });
    away.mockRestore();
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ success: false, status: 'error', code: 'SERVICE_UNAVAILABLE' });
    expect(answer.headers['retry-after']).toBe('2');
    expect(await tracker.recorded()).toEqual([]);
  });

  it('says where it does not know whether something was accepted', async () => {
    const log = tracker.app.get<IntakeLog>(INTAKE_LOG);
    const lost = jest.spyOn(log, 'send').mockRejectedValue(new OutcomeUnknown('away'));
    const answer = await post('/track?website_id=site_1').send({ name: 'lost' });
    lost.mockRestore();
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    expect((answer.body as { error: string }).error).toContain('It is not known whether these events were accepted');
  });

  it('reports its health', async () => {
    const answer = await request(tracker.app.getHttpServer()).get('/health').set('x-request-id', 'mine');
    expect([answer.status, answer.body, answer.headers['x-request-id']]).toEqual([200, { status: 'ok' }, 'mine']);
  });
});
