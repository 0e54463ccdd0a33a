import { writeFileSync } from 'node:fs';
import { runtimeFile } from '@ledgerline/platform/config/runtime-file';
import type { LinkClicked, ObservedEvent, PageViewed } from '@ledgerline/contracts/events/observed-events';
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

  it('have countries beside a running product that trusts no proxy', async () => {
    const trackUrl = (await tracker.app.getUrl()).replace('localhost', '127.0.0.1');
    const runtime = {
      databaseUrl: tracker.settings.databaseUrl,
      apiUrl: 'http://127.0.0.1:1',
      trackUrl,
      pids: { supervisor: process.pid, postgres: process.pid },
    };
    writeFileSync(runtimeFile(tracker.settings.dataDir), JSON.stringify(runtime));
    const options: Options = {
      ...{ visitors: 40, days: 2, seed: 7, websiteId: 'site_1', apiKey: undefined },
      ...{ trackUrl, shortUrl: `${trackUrl}/simulated` },
    };
    const env = { DATA_DIR: tracker.settings.dataDir };
    const tally = await sendThroughOwnTracker(options, env, (own) => simulate(own, () => undefined));
    expect(tally.accepted).toBe(tally.sent);
    const events = (await tracker.recorded()).filter(
      (event): event is PageViewed | LinkClicked => event.type === 'PageViewed' || event.type === 'LinkClicked',
    );
    const countriesOf = (type: ObservedEvent['type']) =>
      new Set(events.filter((event) => event.type === type).map(({ data }) => data.country));
    expect(countriesOf('PageViewed').size).toBeGreaterThan(5);
    expect(countriesOf('PageViewed')).not.toContain(null);
    expect(countriesOf('LinkClicked').size).toBeGreaterThan(0);
    expect(countriesOf('LinkClicked')).not.toContain(null);
  });
});
