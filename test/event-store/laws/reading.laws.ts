import fc from 'fast-check';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LogFollower } from '@ledgerline/platform/log/log-follower';
import { BEGINNING, EpochChanged, type Cursor } from '@ledgerline/platform/log/log-reader';
import { waitUntil } from '../../wait-until';
import { appended, event, freshOrganization, freshStream, idsOf, readAll, type EventStoreHarness } from './harness';

/** Laws 5 to 8: what readers see. */
export function readingLaws(store: () => EventStore, harness: () => EventStoreHarness): void {
  const tail = (from: Cursor, types?: readonly string[]) => {
    const seen: string[] = [];
    const stop = new AbortController();
    const follower = new LogFollower(store(), {
      from,
      signal: stop.signal,
      ...(types ? { types: () => types } : {}),
      onBatch: ({ events }) => void seen.push(...idsOf(events)),
    });
    return { seen, follower, stop: () => (stop.abort(), follower.ended) };
  };

  describe('law 5: no lost read', () => {
    it('shows a tailing reader exactly what was acknowledged, once and in order', async () => {
      const writer = fc.record({
        events: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
        stale: fc.boolean(),
        pauseMs: fc.integer({ min: 0, max: 3 }),
      });
      const others = await Promise.all([harness().open(), harness().open()]);
      const property = fc.asyncProperty(fc.array(writer, { minLength: 1, maxLength: 6 }), async (writers) => {
        const reader = tail(await store().head(0));
        const organization = freshOrganization();
        const acknowledged = await Promise.all(
          writers.map(async ({ events, stale, pauseMs }, at) => {
            const own = others[at % 2] ?? store();
            const stream = freshStream(organization);
            const written: string[] = [];
            for (const count of events) {
              const batch = Array.from({ length: count }, () => event());
              const expected = written.length === 0 ? 'no-stream' : written.length - 1;
              if (stale) await own.append(stream, written.length + 5, [event()]);
              await appended(own, stream, expected, batch);
              written.push(...idsOf(batch));
              await new Promise((resolve) => setTimeout(resolve, pauseMs));
            }
            return written;
          }),
        );
        const all = acknowledged.flat();
        await waitUntil(
          () => reader.seen.length,
          (length) => length >= all.length,
        );
        await reader.stop();
        expect([...reader.seen].sort()).toEqual([...all].sort());
        for (const written of acknowledged) {
          expect(reader.seen.filter((id) => written.includes(id))).toEqual(written);
        }
      });
      await fc.assert(property, { seed: 20261121, numRuns: 5 });
      await Promise.all(others.map((other) => other.close()));
    });
  });

  describe('law 6: an acknowledged append', () => {
    it('is read within the stated bound, at its cursor', async () => {
      const before = await store().head(0);
      const stream = freshStream();
      const own = event();
      const { cursor } = await appended(store(), stream, 'no-stream', [own]);
      const seen = await waitUntil(
        () => readAll(store(), before),
        (events) => events.length > 0,
        harness().visibleWithinMs,
      );
      expect(seen.at(-1)).toMatchObject({ id: own.id, cursor, stream, revision: 0 });
      expect(store().compare(cursor, before)).toBeGreaterThan(0);
      expect((await store().readStream(stream))[0]).toMatchObject({ id: own.id, cursor });
    });

    it('ends a wait for more events', async () => {
      const before = await store().head(0);
      const waiting = store().waitForMore(0, before, { timeoutMs: 20_000 });
      await appended(store(), freshStream(), 'no-stream', [event()]);
      await waiting;
      expect(await readAll(store(), before)).toHaveLength(1);
    });

    it('heads its organization’s history', async () => {
      const organization = freshOrganization();
      const ids: string[] = [];
      for (let n = 0; n < 5; n += 1) {
        const own = event({ n });
        await appended(store(), freshStream(organization), 'no-stream', [own]);
        ids.unshift(own.id);
      }
      const first = await waitUntil(
        () => store().readBack({ organization, limit: 2 }),
        (page) => page[0]?.id === ids[0],
        harness().visibleWithinMs,
      );
      const second = await store().readBack({ organization, before: first[1]!.cursor, limit: 2 });
      const third = await store().readBack({ organization, before: second[1]!.cursor, limit: 2 });
      expect(idsOf([...first, ...second, ...third])).toEqual(ids);
      expect(await store().readBack({ organization, before: third[0]!.cursor, limit: 2 })).toEqual([]);
    });
  });

  describe('a stream', () => {
    it('is read from any revision in both directions', async () => {
      const stream = freshStream();
      await appended(
        store(),
        stream,
        'no-stream',
        Array.from({ length: 10 }, (_, n) => event({ n })),
      );
      const revisions = async (options: Parameters<EventStore['readStream']>[1]) =>
        (await store().readStream(stream, options)).map(({ revision }) => revision);
      expect(await revisions({ from: 7 })).toEqual([7, 8, 9]);
      expect(await revisions({ limit: 2 })).toEqual([0, 1]);
      expect(await revisions({ direction: 'backward', limit: 2 })).toEqual([9, 8]);
      expect(await revisions({ direction: 'backward', from: 2 })).toEqual([2, 1, 0]);
      expect(await revisions({ from: 10 })).toEqual([]);
      expect(await store().readStream(freshStream())).toEqual([]);
    });
  });

  describe('law 7: a reader that stops anywhere', () => {
    it('goes on in a new process without a miss or a repeat', async () => {
      const before = await store().head(0);
      const ids: string[] = [];
      for (let n = 0; n < 12; n += 1) {
        const batch = Array.from({ length: 1 + (n % 4) }, () => event());
        await appended(store(), freshStream(), 'no-stream', batch);
        ids.push(...idsOf(batch));
      }
      await waitUntil(
        () => readAll(store(), before),
        (events) => events.length >= ids.length,
      );
      for (const max of [1, 2, 3, 7, 100]) {
        const other = await harness().open();
        const seen: string[] = [];
        for (let cursor = before, atHead = false; !atHead;) {
          const batch = await other.read(0, cursor, { max });
          seen.push(...idsOf(batch.events));
          ({ next: cursor, atHead } = batch);
        }
        await other.close();
        expect(seen).toEqual(ids);
      }
    });

    it('moves on even when its filter dropped everything', async () => {
      const before = await store().head(0);
      await appended(store(), freshStream(), 'no-stream', [event(), event()]);
      const wanted = event({}, { type: 'Wanted' });
      const { cursor } = await appended(store(), freshStream(), 'no-stream', [wanted]);
      await waitUntil(
        () => readAll(store(), before),
        (events) => events.length === 3,
      );
      const only = await store().read(0, before, { max: 10, types: ['Wanted'] });
      expect(idsOf(only.events)).toEqual([wanted.id]);
      const none = await store().read(0, before, { max: 10, types: ['Unheard'] });
      expect(none).toMatchObject({ events: [], atHead: true });
      expect(store().compare(none.next, cursor)).toBeGreaterThanOrEqual(0);
      expect(await readAll(store(), none.next)).toEqual([]);
    });

    it('gives a follower of some types all of them in order, and passes over the others', async () => {
      const reader = tail(await store().head(0), ['Wanted', 'Other']);
      const stream = freshStream();
      const ids: string[] = [];
      let newest = BEGINNING;
      for (const [n, type] of ['Unheard', 'Wanted', 'Unheard', 'Unheard', 'Other', 'Wanted', 'Unheard'].entries()) {
        const own = event({ n }, { type });
        ({ cursor: newest } = await appended(store(), stream, n === 0 ? 'no-stream' : n - 1, [own]));
        if (type !== 'Unheard') ids.push(own.id);
      }
      expect(await reader.follower.hasReached(newest, 30_000)).toBe(true);
      await reader.stop();
      expect(reader.seen).toEqual(ids);
      expect(await readAll(store(), reader.follower.cursor)).toEqual([]);
    });

    it('finds every event from the beginning', async () => {
      expect((await readAll(store(), BEGINNING)).length).toBeGreaterThan(0);
    });
  });

  describe('law 9: a place of another log', () => {
    it('is rejected by a read and compares as beyond everything', async () => {
      const head = await store().head(0);
      for (const foreign of ['12345678901.7-x', 'elsewhere', '99999999999999.99999999999999', '999999999999999']) {
        await expect(store().read(0, foreign, { max: 1 })).rejects.toThrow(EpochChanged);
        expect(store().compare(foreign, head)).toBeGreaterThan(0);
        expect(store().compare(head, foreign)).toBeLessThan(0);
        expect(store().compare(foreign, foreign)).toBe(0);
      }
      const organization = freshOrganization();
      for (const before of ['abc', '-1', '1e3', '9'.repeat(20), `${'9'.repeat(20)}.1`, `1.1@${'9'.repeat(20)}`])
        await expect(store().readBack({ organization, before, limit: 2 })).rejects.toThrow(EpochChanged);
    });

    it('has another epoch; that of a log stays', async () => {
      const other = await harness().open();
      expect(await other.epoch()).toBe(await store().epoch());
      await other.close();
    });
  });

  describe('law 8: a reader', () => {
    it('goes at its own pace and gets no more than it asked for', async () => {
      const before = await store().head(0);
      await appended(
        store(),
        freshStream(),
        'no-stream',
        Array.from({ length: 50 }, () => event()),
      );
      await waitUntil(
        () => readAll(store(), before),
        (events) => events.length === 50,
      );
      const batch = await store().read(0, before, { max: 5 });
      expect(batch.events).toHaveLength(5);
      expect(batch.atHead).toBe(false);
    });

    it('resumes by itself after its connections broke', async () => {
      const reader = tail(await store().head(0));
      await reader.follower.caughtUp;
      const ids: string[] = [];
      for (let n = 0; n < 6; n += 1) {
        const own = event({ n });
        const stream = freshStream();
        if (n % 2 === 1) await harness().killConnections();
        await waitUntil(
          () =>
            store()
              .append(stream, 'no-stream', [own])
              .catch(() => undefined),
          (result) => result?.ok === true,
        );
        ids.push(own.id);
      }
      await waitUntil(
        () => reader.seen.length,
        (length) => length >= ids.length,
      );
      await reader.stop();
      expect(reader.seen).toEqual(ids);
    });
  });
}
