import { setTimeout } from 'node:timers/promises';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { waitUntil } from '../../wait-until';
import { appended, event, freshStream, idsOf, readAll, type EventStoreHarness } from './harness';

/** Law 3, too: a store may answer an append with new ids without comparing it with what is stored. */
export function newIdsLaws(store: () => EventStore, harness: () => EventStoreHarness): void {
  describe('law 3: an append with new ids', () => {
    const newIds = { newIds: true };

    it('is answered as its stream reads', async () => {
      const stream = freshStream();
      const metadata = { correlation: 'c-1', $correlationId: 'theirs', causation: 'ä\u0000\udc00', schemaVersion: '2' };
      for (const own of [event({ b: [1.5, null], a: '\ud800' }, { metadata, sealed: 'AAAA' }), event()]) {
        const before = await store().readStream(stream);
        const head = await store().head(0);
        const result = await store().append(stream, before.at(-1)?.revision ?? 'no-stream', [own], newIds);
        const stored = (await store().readStream(stream)).slice(before.length);
        const { revision, cursor } = stored[0]!;
        expect(result).toEqual({ ok: true, revision, cursor, replayed: false, events: stored });
        expect((await store().read(0, head, { max: 5_000 })).events).toContainEqual(stored[0]);
      }
      const several = await store().append(stream, 1, [event(), event()], newIds);
      expect(several).toMatchObject({ replayed: false, events: await store().readStream(stream, { from: 2 }) });
    });

    it('keeps the time that it is given', async () => {
      const stream = freshStream();
      const recordedAt = new Date('2020-01-02T03:04:05.678Z');
      const result = await store().append(stream, 'no-stream', [event({}, { recordedAt })], newIds);
      expect(result).toMatchObject({ events: [{ recordedAt }] });
      expect(await store().readStream(stream)).toMatchObject([{ recordedAt }]);
    });

    it('is a conflict at another revision, and writes nothing', async () => {
      const stream = freshStream();
      expect(await store().append(stream, 0, [event()], newIds)).toEqual({ ok: false, conflict: 'no-stream' });
      await appended(store(), stream, 'no-stream', [event(), event()]);
      for (const at of ['no-stream', 0, 7] as const)
        expect(await store().append(stream, at, [event()], newIds)).toEqual({ ok: false, conflict: 1 });
      expect(await store().readStream(stream)).toHaveLength(2);
    });

    it('is found, and is no conflict, when it is repeated without the promise', async () => {
      const stream = freshStream();
      const own = event({ a: 1 });
      const first = await store().append(stream, 'no-stream', [own], newIds);
      expect(await store().append(stream, 'no-stream', [own])).toEqual({ ...first, replayed: true });
      expect(await store().append(stream, 0, [own])).toEqual({ ok: false, conflict: 0 });
      expect(await store().append(stream, 'no-stream', [{ ...own, data: {} }])).toEqual({ ok: false, conflict: 0 });
      expect(await store().readStream(stream)).toHaveLength(1);
    });

    it('is stored once or not at all while connections are cut under 32 callers', async () => {
      const before = await store().head(0);
      const answers: [id: string, isStored: boolean | undefined][] = [];
      const caller = async () => {
        const stream = freshStream();
        for (let n = 0; n < 8; n += 1) {
          const own = event({ n });
          const at = (await waitUntil(
            () =>
              store()
                .readStream(stream)
                .catch(() => undefined),
            isKnown,
          ))!.length;
          const result = await store()
            .append(stream, at === 0 ? 'no-stream' : at - 1, [own], newIds)
            .catch(() => undefined);
          answers.push([own.id, result?.ok]);
        }
      };
      const callers = Promise.all(Array.from({ length: 32 }, caller));
      for (let n = 0; n < 6; n += 1) {
        await setTimeout(30);
        await harness().killConnections();
      }
      await callers;
      const idsWhere = (wanted: boolean | undefined) => answers.flatMap(([id, ok]) => (ok === wanted ? [id] : []));
      const seen = idsOf(
        await waitUntil(
          () => readAll(store(), before).catch(() => []),
          (events) => idsWhere(true).every((id) => idsOf(events).includes(id)),
        ),
      );
      expect(seen).toHaveLength(new Set(seen).size);
      const unknown = new Set(idsWhere(undefined));
      expect(seen.filter((id) => !unknown.has(id)).sort()).toEqual(idsWhere(true).sort());
    });
  });
}

const isKnown = <T>(value: T | undefined): value is T => value !== undefined;
