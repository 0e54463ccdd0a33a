import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { BROWSER } from '../../../../scripts/supervisor/screen';

const CLIENTS = 30;

describe('a hit that Postgres refuses', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    const pool = openPool({ url: tracker.settings.databaseUrl, name: 'spec', max: 1 });
    await run(pool, sql`alter table intake_segments add check (not 'ErrorRecorded' = any (types))`);
    await pool.end();
  });
  afterAll(() => tracker.stop());

  const post = (path: string, payload: object) => {
    const headers = { 'user-agent': BROWSER, 'databuddy-client-id': 'site_1' };
    return tracker.app.inject({ method: 'POST', url: path, headers, payload });
  };
  const view = (eventId: string) => ({ name: 'screen_view', path: '/a', eventId, anonymousId: 'a', sessionId: 's' });
  const error = { message: 'boom', path: '/a', eventId: 'bad', anonymousId: 'a', sessionId: 's' };

  it('fails its own request and nobody else’s, and leaves nothing behind', async () => {
    const requests = Array.from({ length: CLIENTS }, (_, n) => post('/batch', [view(`${n}-1`), view(`${n}-2`)]));
    void requests.splice(CLIENTS / 2, 0, post('/errors', [error, error]));
    const statuses = (await Promise.all(requests)).map(({ statusCode }) => statusCode);
    expect(statuses).toEqual(Array.from({ length: CLIENTS + 1 }, (_, n) => (n === CLIENTS / 2 ? 500 : 200)));
    const stored = await tracker.recorded();
    expect(stored.map(({ type }) => type)).toEqual(Array(2 * CLIENTS).fill('PageViewed'));
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2 * CLIENTS);
  });
});
