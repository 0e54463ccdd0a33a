import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { appendingLaws } from './appending.laws';
import { chainLaws } from './chain.laws';
import type { EventStoreHarness, HarnessOptions } from './harness';
import { newIdsLaws } from './new-ids.laws';
import { readerAtHeadLaws } from './reader-at-head.laws';
import { readingLaws } from './reading.laws';
import { restoredCopyLaws } from './restored-copy.laws';

/** Tests what every event store keeps to, whatever it is made of. */
export function eventStoreLaws(name: string, start: (options: HarnessOptions) => Promise<EventStoreHarness>): void {
  describe(name, () => {
    let harness: EventStoreHarness;
    let store: EventStore;

    beforeAll(async () => {
      harness = await start({ isSealed: true });
      store = await harness.open();
    }, 30_000);
    afterAll(async () => {
      await store.close();
      await harness.close();
    });

    appendingLaws(
      () => store,
      () => harness,
    );
    newIdsLaws(
      () => store,
      () => harness,
    );
    readingLaws(
      () => store,
      () => harness,
    );
    readerAtHeadLaws(
      () => store,
      () => harness,
    );
    chainLaws(
      () => store,
      () => harness,
    );
    restoredCopyLaws(start);
  });
}
