import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import { BEGINNING, EpochChanged, type ReaderPosition } from '@ledgerline/platform/log/log-reader';
import { waitUntil } from '../../wait-until';
import { event, freshStream, idsOf, readAll, type EventStoreHarness, type HarnessOptions } from './harness';

/** Law 9, too: what was restored is another log for those who have read more than the copy has. */
export function restoredCopyLaws(start: (options: HarnessOptions) => Promise<EventStoreHarness>): void {
  describe('law 9: a log of which an older copy was restored', () => {
    let harness: EventStoreHarness;
    let store: EventStore;
    /** Replaces the data by the copy, which has three events. */
    let restore: (() => Promise<void>) | undefined;

    beforeEach(async () => {
      harness = await start({ isSealed: false });
      store = await harness.open();
      await write(3);
      restore = await harness.copy?.();
    }, 30_000);
    afterEach(async () => {
      await store.close();
      await harness.close();
    });

    const write = async (count: number) => {
      for (let n = 0; n < count; n += 1)
        await waitUntil(() => store.append(freshStream(), 'no-stream', [event({ n })]).catch(() => undefined));
    };
    const positionAtHead = async (types?: readonly string[]): Promise<ReaderPosition> => {
      let position: ReaderPosition = { cursor: BEGINNING };
      let atHead = false;
      while (!atHead) {
        const batch = await store.read(0, position.cursor, {
          max: 2,
          digest: position.digest,
          ...(types && { types }),
        });
        position = { cursor: batch.next, digest: batch.digest };
        ({ atHead } = batch);
      }
      return position;
    };
    const readFrom = (reader: EventStore, { cursor, digest }: ReaderPosition, types?: readonly string[]) =>
      waitUntil(() =>
        reader
          .read(0, cursor, { max: 10, digest, ...(types && { types }) })
          .catch((error: unknown) => (error instanceof EpochChanged ? error : undefined)),
      );

    it.each([undefined, ['SomethingDecided'], ['Unheard']])(
      'is refused for a position after it, until the end of time and in every process: events of types %p',
      async (types) => {
        await write(4);
        const position = await positionAtHead(types);
        if (!restore) return;
        await restore();
        for (const more of [0, 1, 6]) {
          await write(more);
          expect(await readFrom(store, position, types)).toBeInstanceOf(EpochChanged);
          const other = await harness.open();
          expect(await readFrom(other, position, types)).toBeInstanceOf(EpochChanged);
          await other.close();
        }
      },
    );

    it('goes on for a position that the copy has, and for one without a digest', async () => {
      const position = await positionAtHead();
      await write(4);
      if (!restore) return;
      await restore();
      await write(2);
      for (const digest of [position.digest, undefined]) {
        const batch = await readFrom(store, { cursor: position.cursor, digest });
        expect(batch).not.toBeInstanceOf(EpochChanged);
        expect(batch).toMatchObject({ events: [{ data: { n: 0 } }, { data: { n: 1 } }] });
      }
    });

    it('has a digest for every position that was read, also where nothing was added', async () => {
      const newest = (await readAll(store)).at(-1)!.id;
      const { cursor, digest } = await positionAtHead();
      expect(digest).toContain(newest);
      for (const known of [undefined, digest])
        expect((await store.read(0, cursor, { max: 1, digest: known })).digest).toContain(newest);
    });

    it('is refused for a position with the digest of another one', async () => {
      const { digest } = await positionAtHead();
      const [first] = await readAll(store);
      for (const cursor of [BEGINNING, first!.cursor])
        await expect(store.read(0, cursor, { max: 1, digest })).rejects.toThrow(/^The checkpoint was moved: /);
    });

    it('ends a follower at its head, and no event is applied that passes its position', async () => {
      await write(4);
      const seen: string[] = [];
      const stop = new AbortController();
      const follower = new LogFollower(store, {
        signal: stop.signal,
        onBatch: ({ events }) => void seen.push(...idsOf(events)),
      });
      await follower.caughtUp;
      const before = [...seen];
      expect(before).toEqual(idsOf(await readAll(store)));
      if (restore) {
        await restore();
        await write(8);
        await expect(follower.ended).rejects.toThrow(EpochChanged);
      }
      stop.abort();
      expect(seen).toEqual(before);
    });

    it('refuses a check of an idle follower at once', async () => {
      await write(4);
      const stop = new AbortController();
      const follower = new LogFollower(store, {
        signal: stop.signal,
        onBatch: () => undefined,
        onReplaced: () => Promise.resolve(),
      });
      await follower.caughtUp;
      await follower.check(0);
      if (restore) {
        await restore();
        await write(8);
        const refused = () => follower.check(0).catch((error: unknown) => error);
        expect(await waitUntil(refused, (error) => error instanceof EpochChanged)).toBeInstanceOf(EpochChanged);
      }
      stop.abort();
      await follower.ended;
    });
  });
}
