import type { EventStore, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import type { LogBatch } from '@ledgerline/platform/log/log-reader';
import { appended, event, freshStream, readAll, type EventStoreHarness } from './harness';

/** Law 5, too: a store may serve readers at the head from what it has just received. */
export function readerAtHeadLaws(store: () => EventStore, harness: () => EventStoreHarness): void {
  describe('law 5: a reader at the head', () => {
    it('gets each event as a later reader does, at the same cursor', async () => {
      const before = await store().head(0);
      const seen: RecordedEvent[] = [];
      const stop = new AbortController();
      const onBatch = ({ events }: LogBatch<RecordedEvent>) => void seen.push(...events);
      const reader = new LogFollower(store(), { from: before, signal: stop.signal, onBatch });
      const other = await harness().open();
      await reader.caughtUp;
      for (const count of [1, 3, 1, 2]) {
        const batch = Array.from({ length: count }, (_, n) => event({ n }, { sealed: 'c2VhbGVk' }));
        const { cursor } = await appended(other, freshStream(), 'no-stream', batch);
        expect(await reader.hasReached(cursor, 30_000)).toBe(true);
      }
      stop.abort();
      await reader.ended;
      expect(seen).toHaveLength(7);
      expect(await readAll(other, before)).toEqual(seen);
      await other.close();
    });
  });
}
