import { setTimeout } from 'node:timers/promises';
import {
  EventTooLarge,
  MAX_EVENT_BYTES,
  type AppendRequest,
  type EventStore,
  type NewEvent,
} from '@ledgerline/platform/event-store/event-store';
import { waitUntil } from '../../wait-until';
import { appended, appendPatiently, event, freshStream, idsOf, readAll, type EventStoreHarness } from './harness';

/** Laws 1 to 4 and 13: what an append does. */
export function appendingLaws(store: () => EventStore, harness: () => EventStoreHarness): void {
  describe('law 1: an append lands at the exact revision', () => {
    it('answers the revision of its last event', async () => {
      const stream = freshStream();
      expect(await store().append(stream, 'no-stream', [event(), event()])).toMatchObject({
        ok: true,
        revision: 1,
        replayed: false,
      });
      expect(await store().append(stream, 1, [event()])).toMatchObject({ ok: true, revision: 2 });
    });

    it.each(['no-stream', 0, 7] as const)(
      'is a conflict at %s, with the true revision, and writes nothing',
      async (at) => {
        const stream = freshStream();
        await appended(store(), stream, 'no-stream', [event(), event()]);
        expect(await store().append(stream, at, [event()])).toEqual({ ok: false, conflict: 1 });
        expect(await store().readStream(stream)).toHaveLength(2);
      },
    );

    it('is a conflict on a stream that is not there', async () => {
      const stream = freshStream();
      expect(await store().append(stream, 0, [event()])).toEqual({ ok: false, conflict: 'no-stream' });
      expect(await store().readStream(stream)).toEqual([]);
    });

    it('needs at least one event, and each only once', async () => {
      const twice = event();
      await expect(store().append(freshStream(), 'no-stream', [])).rejects.toThrow('at least one event');
      await expect(store().append(freshStream(), 'no-stream', [twice, twice])).rejects.toThrow('twice');
    });
  });

  describe('law 2: of 20 appends at one revision', () => {
    it.each([0, 3])('one wins, 19 conflict, and there is no hole; with %i other processes', async (count) => {
      const stream = freshStream();
      const others = await Promise.all(Array.from({ length: count }, () => harness().open()));
      const stores = [store(), ...others];
      await appended(store(), stream, 'no-stream', [event()]);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % stores.length]!.append(stream, 0, [event({ n })])),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(results.filter((result) => !result.ok && result.conflict === 1)).toHaveLength(19);
      expect((await store().readStream(stream)).map(({ revision }) => revision)).toEqual([0, 1]);
      expect(await store().append(stream, 1, [event()])).toMatchObject({ ok: true, revision: 2 });
      await Promise.all(others.map((other) => other.close()));
    });

    it('to a stream that is not there yet, from several processes, one wins', async () => {
      const stream = freshStream();
      const other = await harness().open();
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 ? other : store()).append(stream, 'no-stream', [event({ n })])),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await store().readStream(stream)).toHaveLength(1);
      await other.close();
    });
  });

  describe('law 3: the same append again', () => {
    it('answers the first result and writes nothing', async () => {
      const stream = freshStream();
      const events = [event({ a: 1 }), event({ b: 2 })];
      const first = await appended(store(), stream, 'no-stream', events);
      await appended(store(), stream, 1, [event()]);
      expect(await store().append(stream, 'no-stream', events)).toEqual({ ...first, replayed: true });
      expect(await store().readStream(stream)).toHaveLength(3);
    });

    it('is the same while the first is still under way', async () => {
      const stream = freshStream();
      const events = [event()];
      const results = await Promise.all(Array.from({ length: 5 }, () => store().append(stream, 'no-stream', events)));
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(await store().readStream(stream)).toHaveLength(1);
    });

    it('loses and doubles nothing while connections are cut under 32 callers', async () => {
      const before = await store().head(0);
      const callers = Promise.all(Array.from({ length: 32 }, () => appendPatiently(store(), freshStream(), 8)));
      for (let n = 0; n < 6; n += 1) {
        await setTimeout(30);
        await harness().killConnections();
      }
      const acknowledged = (await callers).flat();
      const seen = await waitUntil(
        () => readAll(store(), before).catch(() => []),
        (events) => events.length >= acknowledged.length,
      );
      expect(idsOf(seen).sort()).toEqual(acknowledged.sort());
    });

    it('keeps the metadata of the first attempt', async () => {
      const stream = freshStream();
      const first = event({}, { metadata: { request: '1' } });
      await appended(store(), stream, 'no-stream', [first]);
      expect(await store().append(stream, 'no-stream', [{ ...first, metadata: { request: '2' } }])).toMatchObject({
        replayed: true,
      });
      expect((await store().readStream(stream))[0]?.metadata).toEqual({ request: '1' });
    });

    it('is a conflict with other content', async () => {
      const stream = freshStream();
      const first = event({ name: 'one' });
      await appended(store(), stream, 'no-stream', [first]);
      for (const other of [
        { ...first, data: { name: 'two' } },
        { ...first, type: 'SomethingElse' },
        { ...first, sealed: 'AAAA' },
      ]) {
        expect(await store().append(stream, 'no-stream', [other])).toEqual({ ok: false, conflict: 0 });
      }
      expect(await store().readStream(stream)).toHaveLength(1);
    });

    it('is a conflict with partly overlapping ids, before, at and after the tail', async () => {
      const stream = freshStream();
      const one = event({ n: 1 });
      const two = event({ n: 2 });
      const three = event({ n: 3 });
      await appended(store(), stream, 'no-stream', [one, two]);
      expect(await store().append(stream, 'no-stream', [one, three])).toEqual({ ok: false, conflict: 1 });
      expect(await store().append(stream, 'no-stream', [two])).toEqual({ ok: false, conflict: 1 });
      expect(await store().append(stream, 'no-stream', [one, two, three])).toEqual({ ok: false, conflict: 1 });
      expect(await store().append(stream, 1, [two, three])).toEqual({ ok: false, conflict: 1 });
      expect(idsOf(await store().readStream(stream))).toEqual([one.id, two.id]);
    });

    it('is never written again at the tail', async () => {
      const stream = freshStream();
      const first = event();
      await appended(store(), stream, 'no-stream', [first]);
      expect(await store().append(stream, 0, [first])).toEqual({ ok: false, conflict: 0 });
      expect(await store().readStream(stream)).toHaveLength(1);
    });
  });

  describe('law 4: an append is all or nothing', () => {
    it('when one of its events is refused', async () => {
      const stream = freshStream();
      const huge = event({ text: 'x'.repeat(MAX_EVENT_BYTES) });
      await expect(store().append(stream, 'no-stream', [event(), huge])).rejects.toThrow(EventTooLarge);
      expect(await store().readStream(stream)).toEqual([]);
    });

    it('and keeps the order of its events', async () => {
      const stream = freshStream();
      const events = Array.from({ length: 100 }, (_, n) => event({ n }));
      await appended(store(), stream, 'no-stream', events);
      expect(idsOf(await store().readStream(stream))).toEqual(idsOf(events));
    });
  });

  describe('law 4: appends in order', () => {
    it('are stored all, and answered with their events as they are read', async () => {
      const appends = [event({ n: 1 }), event({ n: 2 })].map(startOf);
      const results = await store().appendInOrder(appends);
      for (const [at, { stream }] of appends.entries())
        expect(results[at]).toMatchObject({ ok: true, revision: 0, events: await store().readStream(stream) });
      expect(await store().appendInOrder(appends)).toEqual(results.map((result) => ({ ...result, replayed: true })));
    });

    it('end with the first conflict', async () => {
      const [first, taken, last] = [event(), event(), event()].map(startOf) as [
        AppendRequest,
        AppendRequest,
        AppendRequest,
      ];
      await appended(store(), taken.stream, 'no-stream', [event()]);
      const results = await store().appendInOrder([first, taken, last]);
      expect(results).toMatchObject([{ ok: true }, { ok: false, conflict: 0 }]);
      expect(await store().readStream(first.stream)).toHaveLength(1);
      expect(await store().readStream(last.stream)).toEqual([]);
    });

    const startOf = (own: NewEvent): AppendRequest => ({ stream: freshStream(), expected: 'no-stream', events: [own] });
  });

  describe('law 13: what is stored comes back as it was', () => {
    it('refuses an append over 1 MiB by name', async () => {
      const events = Array.from({ length: 20 }, () => event({ text: 'x'.repeat(60_000) }));
      await expect(store().append(freshStream(), 'no-stream', events)).rejects.toThrow(EventTooLarge);
    });

    it('refuses an event with 10,000 keys by name, as it is over 64 KiB', async () => {
      const append = store().append(freshStream(), 'no-stream', [event(manyKeys(10_000))]);
      await expect(append).rejects.toThrow(EventTooLarge);
    });

    it('takes an append just under it', async () => {
      const events = Array.from({ length: 16 }, () => event({ text: 'x'.repeat(64_000) }));
      expect(await store().append(freshStream(), 'no-stream', events)).toMatchObject({ ok: true, revision: 15 });
    });

    it.each([
      ['NUL', { text: 'a\u0000b' }],
      ['lone surrogates', { text: '\ud800', '\udfff': 'x' }],
      ['thousands of keys', manyKeys(5_000)],
      ['numbers', { values: [0, 1e21, 1.5e-7, 123456789012345680, -1] }],
      ['nesting, null and emptiness', { a: { b: [[], {}, null, '', false] }, __proto: 1 }],
    ])('%s', async (_, data) => {
      const stream = freshStream();
      await appended(store(), stream, 'no-stream', [event(data)]);
      expect((await store().readStream(stream))[0]?.data).toEqual(data);
    });

    it('metadata and the sealed part, byte for byte', async () => {
      const stream = freshStream();
      const metadata = { 'correlation id': 'ä\u0000\n"\\', $actor: '', emoji: '👩‍🚀', lone: '\udc00' };
      await appended(store(), stream, 'no-stream', [event({}, { metadata, sealed: 'q83vAA==' })]);
      expect((await store().readStream(stream))[0]).toMatchObject({ metadata, sealed: 'q83vAA==' });
    });
  });
}

const manyKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
