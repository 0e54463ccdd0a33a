import { startTracker } from '../../../../test/tracker/running-tracker';
import type { EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable, type LogBatch } from '@ledgerline/platform/log/log-reader';
import { LOGGER } from '../tokens';
import { LiveDirectory } from './live-directory';

describe('the live directory', () => {
  it('says so when it lags behind, and never takes that for knowing everything', async () => {
    const directory = new LiveDirectory(laggingStore(), quiet);
    await expect(directory.catchUp()).rejects.toThrow(LogUnavailable);
    await directory.close();
  });

  it('follows until HTTP has closed, and no longer than the store is open', async () => {
    const tracker = await startTracker();
    const directory = tracker.app.get(LiveDirectory);
    const warn = jest.spyOn(tracker.app.get<{ warn: () => void }>(LOGGER), 'warn');
    const http = tracker.app.getHttpAdapter();
    const closeHttp = http.close.bind(http) as () => Promise<void>;
    const lastRequest = async () => {
      await tracker.registerWebsite('site_late');
      await directory.catchUp();
    };
    jest.spyOn(http, 'close').mockImplementation(() => lastRequest().then(closeHttp));
    await tracker.stop();
    expect(directory.website('site_late')).toBeDefined();
    await directory.ended;
    expect(warn).not.toHaveBeenCalled();
  });
});

/** Holds an event that is never handed out. */
function laggingStore(): EventStore {
  const nothing: LogBatch<RecordedEvent> = { events: [], next: '0', atHead: true };
  const store = {
    head: () => Promise.resolve('1'),
    read: () => Promise.resolve(nothing),
    waitForMore: (...[, , { signal }]: Parameters<EventStore['waitForMore']>) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve());
      }),
    compare: (a: string, b: string) => Number(a) - Number(b),
    close: () => Promise.resolve(),
  };
  return store as unknown as EventStore; // only what following needs
}

const quiet = { warn: jest.fn() } as unknown as ConstructorParameters<typeof LiveDirectory>[1]; // only warns
