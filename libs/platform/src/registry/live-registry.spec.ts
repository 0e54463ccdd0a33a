import type { EventStore, RecordedEvent } from '../event-store/event-store';
import { EpochChanged, LogUnavailable, type LogBatch } from '../log/log-reader';
import { LiveRegistry } from './live-registry';
import type { StoredRegistry } from './stored-registry';

describe('the live registry', () => {
  it('fails to catch up while it lags behind the store', async () => {
    const live = new LiveRegistry(laggingStore(), [], { warn: jest.fn(), info: jest.fn() }, () =>
      Promise.resolve(undefined),
    );
    await expect(live.catchUp()).rejects.toThrow(LogUnavailable);
    await live.close();
  });

  it.each([
    ['goes on after it', 'one', undefined],
    ['ends where that is another store than the one it was read from', 'other', EpochChanged],
  ])('is what the read models hold while the store is away, and %s when it is back', async (_, epoch, failure) => {
    let isAway = true;
    const held = { cursor: '1', epoch: 'one' } as StoredRegistry; // nothing is folded from it
    const stored = () =>
      isAway ? Promise.reject(new LogUnavailable('away')) : Promise.resolve(epoch === 'one' ? held : undefined);
    const live = new LiveRegistry(laggingStore(), [], { warn: jest.fn(), info: jest.fn() }, stored, () =>
      Promise.resolve(held),
    );
    await live.ready;
    expect([live.isHeld, live.position, live.isCaughtUp]).toEqual([true, '1', false]);
    isAway = false;
    const end = await Promise.race([live.caughtUp, live.ended]).catch((error: unknown) => error);
    if (failure) expect(end).toBeInstanceOf(failure);
    else expect([end, live.isHeld]).toEqual([undefined, false]);
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
