import type { LinkClicked } from '@ledgerline/contracts/events/observed-events';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { proxyTo, type BreakableProxy } from '@test/network/breakable-proxy';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { allOf } from '@test/tracker/all-of';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import { waitUntil } from '@test/wait-until';
import { BROWSER } from '../../../../scripts/supervisor/screen';
import { createTracker } from '../create-tracker';

const DAY = 86_400_000;

describe('the first clicks of an organization', () => {
  let database: TestDatabase;
  let proxy: BreakableProxy;
  let tracker: RunningTracker;
  let log: IntakeLog;

  beforeAll(async () => {
    database = await createTestDatabase();
    log = await openIntakeLog({ databaseUrl: database.url });
    const { hostname, port } = new URL(database.url);
    proxy = await proxyTo(hostname, Number(port));
    const url = Object.assign(new URL(database.url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
    tracker = await startTracker({ DATABASE_URL: url, TRUST_PROXY: 'true' });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await tracker.stop();
    await proxy.close();
    await log.close();
    await database.drop();
  });

  const follow = async (slug: string, address: string, app = tracker.app) => {
    const headers = { 'user-agent': BROWSER, 'x-forwarded-for': address };
    expect((await app.inject({ url: `/${slug}`, headers })).statusCode).toBe(302);
  };

  const createLink = (name: string) =>
    tracker.createLink(`link_${name}`, { slug: name, organizationId: `org_${name.replaceAll('-', '_')}` }); // ids have no dash

  /** Returns the visitors of so many clicks, once they are recorded. */
  const visitorsOf = async (name: string, clicks: number) => {
    const recorded = async () =>
      (await allOf(log)).filter(
        (event): event is LinkClicked => event.type === 'LinkClicked' && event.data.linkId === `link_${name}`,
      );
    await waitUntil(async () => (await recorded()).length >= clicks);
    return (await recorded()).map(({ data }) => data.visitorId);
  };

  it('have their visitors, however many come at once', async () => {
    const addresses = Array.from({ length: 20 }, (_, n) => `81.2.69.${n + 1}`);
    for (const name of ['first', 'second', 'third']) {
      await createLink(name);
      await Promise.all(addresses.map((address) => follow(name, address)));
      const visitors = await visitorsOf(name, addresses.length);
      expect(visitors).not.toContain(null);
      expect(new Set(visitors).size).toBe(addresses.length);
    }
  });

  it('have the same visitors in a tracker that was started a second ago', async () => {
    await createLink('two-trackers');
    const other = await createTracker(tracker.settings, createLogger('tracker', 'fatal'));
    await other.init();
    await other.getHttpAdapter().getInstance().ready();
    await follow('two-trackers', '81.2.69.142', other);
    await follow('two-trackers', '81.2.69.142');
    await follow('two-trackers', '81.2.69.160', other);
    const visitors = await visitorsOf('two-trackers', 3);
    await other.close();
    expect(visitors).not.toContain(null);
    expect(new Set(visitors).size).toBe(2);
  });

  it('have their visitors while Postgres is away and midnight passes; hits of a new website are refused', async () => {
    await createLink('in-outage');
    await tracker.app.inject({ method: 'HEAD', url: '/in-outage' });
    await tracker.registerWebsite('site_new');
    await tracker.app.get(LiveRegistry).catchUp();
    await proxy.refuse();
    const view = [{ name: 'screen_view', path: '/', anonymousId: 'a', sessionId: 's' }];
    const refused = await tracker.app.inject({
      method: 'POST',
      url: '/batch?client_id=site_new',
      headers: { 'user-agent': BROWSER },
      payload: view,
    });
    expect(refused.statusCode).toBe(503);
    const now = Date.now.bind(Date);
    await follow('in-outage', '81.2.69.142');
    jest.spyOn(Date, 'now').mockImplementation(() => now() + DAY);
    await follow('in-outage', '81.2.69.142');
    await follow('in-outage', '81.2.69.160');
    await follow('in-outage', '81.2.69.142');
    jest.restoreAllMocks();
    await proxy.mend();
    const visitors = await visitorsOf('in-outage', 4);
    expect(visitors).not.toContain(null);
    expect(new Set(visitors).size).toBe(3);
    expect((await allOf(log)).filter(({ type }) => type === 'PageViewed')).toEqual([]);
  });
});
