import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { event, freshStream } from '@test/event-store/laws/harness';
import { Connection } from './connection';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const LINKS = 200;

it('two appends and no read of a stream, and few wake-ups, are what a link costs', async () => {
  const double = await EventStoreDbDouble.start();
  const store = await EventStoreDbEventStore.open(double.url);
  const stop = new AbortController();
  const batches = jest.fn();
  const follower = new LogFollower<RecordedEvent>(store, {
    signal: stop.signal,
    types: () => ['LinkUpdated'],
    paceMs: 25,
    onBatch: batches,
  });
  await follower.caughtUp;
  const appends = jest.spyOn(Connection.prototype, 'append');
  const reads = jest.spyOn(Connection.prototype, 'readStream');
  const create = () =>
    store.appendInOrder(
      [freshStream('global'), freshStream()].map((stream) => ({
        stream,
        expected: 'no-stream' as const,
        events: [event()],
        newIds: true,
      })),
    );
  batches.mockClear();
  await Promise.all(Array.from({ length: LINKS }, create));
  expect([appends.mock.calls.length, reads.mock.calls.length]).toEqual([2 * LINKS, 0]);
  expect(batches.mock.calls.length).toBeLessThan(LINKS / 10);
  jest.restoreAllMocks();
  stop.abort();
  await follower.ended;
  await store.close();
  double.stop();
});
