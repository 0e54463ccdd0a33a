import { writeFileSync } from 'node:fs';
import type { LinkClicked, ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
import { runtimeFile } from '@ledgerline/platform/config/runtime-file';
import { startTracker, type RunningTracker } from '@test/tracker/running-tracker';
import type { Options } from './options';
import { sendThroughOwnTracker } from './own-tracker';
import { simulate } from './simulate';

describe('simulated visitors', () => {
  let tracker: RunningTracker;

  beforeAll(async () => {
    tracker = await startTracker();
    await tracker.registerWebsite('site_1');
    await tracker.createLink('link_1', { slug: 'simulated' });
    await tracker.app.listen(0, '127.0.0.1');
  });
  afterAll(() => tracker.stop());

  it('have countries and a past beside a running product that trusts no proxy, and are there once', async () => {
    const trackUrl = (await tracker.app.getUrl()).replace('localhost', '127.0.0.1');
    const runtime = {
      databaseUrl: tracker.settings.databaseUrl,
      apiUrl: 'http://127.0.0.1:1',
      trackUrl,
      pids: { supervisor: process.pid, postgres: process.pid },
    };
    writeFileSync(runtimeFile(tracker.settings.dataDir), JSON.stringify(runtime));
    const options: Options = {
      visitors: 120,
      days: 30,
      seed: 7,
      websiteId: 'site_1',
      apiKey: await tracker.createKey('key_1', { scopes: ['track:events'] }),
      trackUrl,
      shortUrl: `${trackUrl}/simulated`,
    };
    const env = { DATA_DIR: tracker.settings.dataDir, KEY_PEPPER: tracker.settings.keyPepper };
    const end = Date.UTC(2026, 9, 1, 12); // which visits there are follows from the hours they are in
    const send = () =>
      sendThroughOwnTracker(options, env, (own, follow) => simulate(own, () => undefined, { end, follow }));
    const tally = await send();
    expect(tally.accepted).toBe(tally.sent);
    const recorded = await tracker.recorded();
    await send();
    const isCounted = ({ type }: ObservedEvent) => type !== 'HitJudgedBot';
    expect((await tracker.recorded()).filter(isCounted)).toHaveLength(recorded.filter(isCounted).length);
    const events = recorded.filter(
      (event): event is PageViewed | LinkClicked => event.type === 'PageViewed' || event.type === 'LinkClicked',
    );
    const countriesOf = (type: ObservedEvent['type']) =>
      new Set(events.filter((event) => event.type === type).map(({ data }) => data.country));
    expect(countriesOf('PageViewed').size).toBeGreaterThan(5);
    expect(countriesOf('PageViewed')).not.toContain(null);
    expect(countriesOf('LinkClicked').size).toBeGreaterThan(0);
    expect(countriesOf('LinkClicked')).not.toContain(null);
    for (const type of ['PageViewed', 'LinkClicked'] as const)
      expect(events.some((event) => event.type === type && event.at < end - 10 * 86_400_000)).toBe(true);
  });

  it('have no key where it is one of another organization', async () => {
    await tracker.registerWebsite('site_2', { organizationId: 'org_2' });
    const trackUrl = (await tracker.app.getUrl()).replace('localhost', '127.0.0.1');
    const apiKey = await tracker.createKey('key_2', { scopes: ['track:events'] });
    const order = { visitors: 1, days: 1, seed: 1, trackUrl, apiKey, shortUrl: `${trackUrl}/simulated` };
    const env = { DATA_DIR: tracker.settings.dataDir, KEY_PEPPER: tracker.settings.keyPepper };
    const sentFor = (websiteId: string) =>
      sendThroughOwnTracker({ ...order, websiteId }, env, (own) => Promise.resolve(own));
    expect(await sentFor('site_1')).toMatchObject({ apiKey });
    expect(await sentFor('site_2')).toMatchObject({ apiKey: undefined, shortUrl: undefined });
    await expect(sentFor('site_3')).rejects.toThrow('There is no website site_3.');
  });
});
