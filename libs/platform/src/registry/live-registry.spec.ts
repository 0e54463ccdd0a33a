import type { EventStore, RecordedEvent } from '../event-store/event-store';
import { createLogger } from '../logging/logger';
import { LogUnavailable, type LogBatch } from '../log/log-reader';
import { LiveRegistry } from './live-registry';

describe('the live registry', () => {
  it('fails to catch up while it lags behind the store', async () => {
    const live = new LiveRegistry(laggingStore(), [], createLogger('api', 'silent'), () => Promise.resolve(undefined));
    await expect(live.catchUp()).rejects.toThrow(LogUnavailable);
    await live.close();
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
