import { waitUntil } from '@test/wait-until';
import type { EventStore, RecordedEvent } from '../event-store/event-store';
import { LogReplaced, LogUnavailable, type LogBatch } from '../log/log-reader';
import { createLogger } from '../logging/logger';
import { LiveRegistry } from './live-registry';
import type { StoredRegistry } from './stored-registry';

describe('the live registry', () => {
  it('fails to catch up while it lags behind the store', async () => {
    const live = new LiveRegistry(laggingStore(), [], createLogger('api', 'silent'), () => Promise.resolve(undefined));
    await expect(live.catchUp()).rejects.toThrow(LogUnavailable);
    await live.close();
  });

  it('is what the read models hold while the store is away, and goes on after it', async () => {
    const { live, isBack } = heldWhileAway('one');
    await live.ready;
    expect([live.isHeld, live.position, live.isCaughtUp]).toEqual([true, '1', false]);
    isBack();
    await live.caughtUp;
    expect(live.isHeld).toBe(false);
    await live.close();
  });

  it('refuses commands where another store than the one that it was read from is back', async () => {
    const { live, isBack } = heldWhileAway('other');
    await live.ready;
    isBack();
    const refusal = await waitUntil(
      () => live.assertContinues().catch((error: unknown) => error),
      (error) => error instanceof LogReplaced,
    );
    expect(refusal).toMatchObject({ message: expect.stringContaining('replaced by another one') as string });
    expect([live.isHeld, live.position]).toEqual([true, '1']);
    await live.close();
  });
});

it('has no command wait behind another, nor twice, for a store that stopped answering', async () => {
  const store = laggingStore();
  const live = new LiveRegistry(store, [], createLogger('api', 'silent'), () => Promise.resolve(undefined), {
    firstMs: 20,
    laterMs: 1,
  });
  await live.caughtUp;
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
  const read = jest.spyOn(store, 'read').mockReturnValue(new Promise(() => undefined));
  const commands = Array.from({ length: 8 }, () => live.assertContinues());
  for (const command of commands) await expect(command).rejects.toThrow('did not answer within 20 ms');
  await expect(live.assertContinues()).rejects.toThrow('did not answer within 1 ms');
  expect(read).toHaveBeenCalledTimes(1);
  jest.spyOn(store, 'head').mockReturnValue(new Promise(() => undefined));
  await expect(live.catchUp()).rejects.toThrow('did not answer within 1 ms');
  jest.restoreAllMocks();
  await live.close();
});

/** A process that starts with read models of the store `one`, while the event store is away. */
function heldWhileAway(epoch: string) {
  let isAway = true;
  const store = laggingStore(() => (isAway ? Promise.reject(new LogUnavailable('away')) : Promise.resolve(epoch)));
  const stored = { cursor: '1', epoch: 'one' } as StoredRegistry; // nothing is folded from it
  const live = new LiveRegistry(store, [], createLogger('api', 'silent'), () => Promise.resolve(stored));
  return { live, isBack: () => (isAway = false) };
}

/** Holds an event that is never handed out. */
function laggingStore(epoch = () => Promise.resolve('one')): EventStore {
  const nothing: LogBatch<RecordedEvent> = { events: [], next: '0', atHead: true };
  const store = {
    epoch,
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
