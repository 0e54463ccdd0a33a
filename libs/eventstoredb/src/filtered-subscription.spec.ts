import type { EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appended, event, freshStream, idsOf } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

describe('the live subscription of a process', () => {
  let double: EventStoreDbDouble;
  let store: EventStoreDbEventStore;
  /** The store of another process. */
  let other: EventStoreDbEventStore;

  beforeEach(async () => {
    double = await EventStoreDbDouble.start();
    [store, other] = await Promise.all([
      EventStoreDbEventStore.open(double.url),
      EventStoreDbEventStore.open(double.url),
    ]);
  });
  afterEach(async () => {
    await Promise.all([store.close(), other.close()]);
    double.stop();
  });

  const following = (types: readonly string[]) => {
    const seen: string[] = [];
    const stop = new AbortController();
    const onBatch = ({ events }: { events: readonly RecordedEvent[] }) => void seen.push(...idsOf(events));
    const follower = new LogFollower(store, { types: () => types, signal: stop.signal, onBatch });
    const end = async () => {
      stop.abort();
      await follower.ended;
    };
    return { seen, follower, end };
  };

  const append = async (to: EventStore, type: string) => {
    const own = event({}, { type });
    const { cursor } = await appended(to, freshStream(), 'no-stream', [own]);
    return { id: own.id, cursor };
  };

  const subscribed = (count: number) =>
    waitUntil(
      () => double.subscriptionsStarted,
      (started) => started === count,
    );

  it('brings the types that a follower reads, and takes it past others without a page', async () => {
    const { seen, follower, end } = following(['Wanted']);
    await subscribed(1);
    const first = await append(other, 'Wanted');
    expect(await follower.hasReached(first.cursor, 30_000)).toBe(true);
    const pages = double.pagesSent;
    for (let n = 0; n < 300; n++) await append(other, 'Unwanted');
    await waitUntil(
      () => follower.cursor,
      (cursor) => store.compare(cursor, first.cursor) > 0,
    );
    const last = await append(other, 'Wanted');
    expect(await follower.hasReached(last.cursor, 30_000)).toBe(true);
    expect(seen).toEqual([first.id, last.id]);
    expect(double.pagesSent - pages).toBeLessThan(10);
    await end();
  });

  it('brings all types from the first append on that looks at what is stored', async () => {
    const { seen, follower, end } = following(['Wanted']);
    await subscribed(1);
    const first = await append(other, 'Wanted');
    await append(store, 'Unwanted');
    await subscribed(3); // the second one is that of `other`, which appended
    const last = await append(other, 'Wanted');
    expect(await follower.hasReached(last.cursor, 30_000)).toBe(true);
    expect(seen).toEqual([first.id, last.id]);
    const everything = following(['Unwanted', 'More']);
    const more = await append(other, 'More');
    expect(await everything.follower.hasReached(more.cursor, 30_000)).toBe(true);
    await Promise.all([end(), everything.end()]);
    expect(double.subscriptionsStarted).toBe(3);
  });
});
