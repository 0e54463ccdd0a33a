import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { startTracker } from '@test/tracker/running-tracker';
import { LOGGER } from './tokens';

describe('the end of a tracker', () => {
  it('follows the event store until HTTP has closed, and no longer than the store is open', async () => {
    const tracker = await startTracker();
    const registry = tracker.app.get(Registry);
    const live = tracker.app.get(LiveRegistry);
    const warn = jest.spyOn(tracker.app.get<{ warn: () => void }>(LOGGER), 'warn');
    const http = tracker.app.getHttpAdapter();
    const closeHttp = http.close.bind(http) as () => Promise<void>;
    const lastRequest = async () => {
      await tracker.registerWebsite('site_late');
      await live.catchUp();
    };
    jest.spyOn(http, 'close').mockImplementation(() => lastRequest().then(closeHttp));
    await tracker.stop();
    expect(registry.find('websites', 'site_late')).toBeDefined();
    await live.ended;
    expect(warn).not.toHaveBeenCalled();
  });
});
