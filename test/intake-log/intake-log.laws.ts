import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { HitTooLarge, type IntakeLog, type SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, EpochChanged } from '@ledgerline/platform/log/log-reader';
import { waitUntil } from '../wait-until';
import { hit, idsOf, readAll, tail } from './hits.fixture';

/** A store under test; every `open` is like another process. */
export interface IntakeLogStore {
  /** True if a send answers which hits are duplicates; by default it does. */
  readonly judges?: boolean;
  open(): Promise<IntakeLog>;
  /** Cuts every connection to the store, whatever it is doing; none of them is left afterwards. */
  cutConnections(): Promise<void>;
  /** Begins to write hits as a slow process does: after `delayMs` they are committed, or given up. */
  writeSlowly(ids: readonly string[], end: { delayMs: number; commit: boolean }): Promise<void>;
  /** Keeps an unrelated write open until the returned function is called. */
  holdOpenWrite(): Promise<() => Promise<void>>;
  /** Empties the log and begins a new epoch. */
  recreate(): Promise<void>;
  remove(): Promise<void>;
}

const writer = fc.record({
  sends: fc.array(fc.record({ hits: fc.integer({ min: 1, max: 5 }), delayMs: fc.nat(8) }), {
    minLength: 1,
    maxLength: 6,
  }),
  slow: fc.option(fc.record({ delayMs: fc.nat(60), commit: fc.boolean() })),
});

/** Tests what every intake log keeps, whatever stores it. */
export function intakeLogLaws(name: string, start: () => Promise<IntakeLogStore>): void {
  describe(`${name} as an intake log`, () => {
    let store: IntakeLogStore;
    const opened: IntakeLog[] = [];
    const open = async () => {
      const log = await store.open();
      opened.push(log);
      return log;
    };

    const judged = (expected: SendResult['outcomes']) =>
      store.judges === false ? expected.map(() => 'accepted') : expected;

    beforeEach(async () => {
      store = await start();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((log) => log.close()));
      await store.remove();
    });

    it('4: keeps all of a call or nothing', async () => {
      const log = await open();
      const calls = Array.from({ length: 30 }, (_, call) => Array.from({ length: 7 }, (_, n) => hit(`${call}-${n}`)));
      const sending = calls.map((hits) =>
        log.send(hits).then(
          () => true,
          () => false,
        ),
      );
      await sleep(3);
      await store.cutConnections();
      const acknowledged = await Promise.all(sending);
      const stored = idsOf(await readAll(await open()));
      for (const [call, hits] of calls.entries()) {
        const found = hits.filter(({ event }) => stored.includes(event.id)).length;
        expect(found).toBe(acknowledged[call] ? 7 : found === 0 ? 0 : 7);
      }
      expect(new Set(stored).size).toBe(stored.length);
    });

    it('5: loses no event to a reader that follows, whatever commits late or never', async () => {
      const release = await store.holdOpenWrite();
      const logs = [await open(), await open()];
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(writer, { minLength: 1, maxLength: 4 }), async (writers) => {
          round++;
          const reader = await open();
          const from = await reader.head(0);
          const committed: string[] = [];
          const following = tail(reader, 0, from);
          const write = async (log: IntakeLog, number: number, { sends, slow }: (typeof writers)[number]) => {
            const slowIds = [`${round}-slow-${number}`];
            const writing = slow ? store.writeSlowly(slowIds, slow) : undefined;
            if (slow?.commit) committed.push(hit(slowIds[0]!).event.id);
            for (const [at, { hits, delayMs }] of sends.entries()) {
              await sleep(delayMs);
              const sent = Array.from({ length: hits }, (_, n) => hit(`${round}-${number}-${at}-${n}`));
              await log.send(sent);
              committed.push(...sent.map(({ event }) => event.id));
            }
            await writing;
          };
          await Promise.all(writers.map((one, number) => write(logs[number % 2]!, number, one)));
          const seen = await following.until(await reader.head(0));
          expect([...idsOf(seen)].sort()).toEqual(committed.sort());
          const offsets = seen.map(({ offset }) => offset);
          expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
          expect(new Set(offsets).size).toBe(offsets.length);
        }),
        { seed: 5, numRuns: 12, endOnFailure: true },
      );
      await release();
    });

    it('6: shows a write to the next read, at or before the position it answered', async () => {
      const log = await open();
      const { positions, outcomes } = await log.send([hit('a'), hit('b')]);
      expect(outcomes).toEqual(judged(['stored', 'stored']));
      expect(idsOf(await readAll(await open()))).toEqual([hit('a').event.id, hit('b').event.id]);
      const position = positions.get(0)!;
      expect(log.compare(await log.head(0), position)).toBe(0);
      expect(log.compare(BEGINNING, position)).toBeLessThan(0);
      expect((await log.send([hit('a')])).positions.get(0)).toBe(position);
    });

    it('7: goes on anywhere in a new process, without a miss or a repeat', async () => {
      const log = await open();
      for (let n = 0; n < 12; n++) await log.send(Array.from({ length: n + 1 }, (_, m) => hit(`${n}-${m}`)));
      const whole = idsOf(await readAll(log));
      for (const max of [1, 5, 1_000]) {
        const pieces: string[] = [];
        for (let cursor = BEGINNING, atHead = false; !atHead;) {
          const batch = await (await open()).read(0, cursor, { max });
          pieces.push(...idsOf(batch.events));
          ({ next: cursor, atHead } = batch);
        }
        expect(pieces).toEqual(whole);
      }
      const offsets = (await log.read(0, '20', { max: 1_000 })).events.map(({ offset }) => offset);
      expect(offsets[0]).toBe(21);
    });

    it('7: moves on over what a filter leaves out', async () => {
      const log = await open();
      await log.send([hit('a'), hit('b')]);
      await log.send([hit('c', { type: 'LinkClicked' })]);
      await log.send([hit('d')]);
      expect(idsOf(await readAll(log, { types: ['LinkClicked'] }))).toEqual([hit('c').event.id]);
      const nothing = await log.read(0, BEGINNING, { max: 10, types: ['VitalMeasured'] });
      expect(nothing).toMatchObject({ events: [], next: await log.head(0), atHead: true });
    });

    it('8: hands out bounded batches, and goes on after its connections were cut', async () => {
      const log = await open();
      for (let n = 0; n < 20; n++) await log.send(Array.from({ length: 10 }, (_, m) => hit(`${n}-${m}`)));
      expect((await log.read(0, BEGINNING, { max: 35 })).events).toHaveLength(30);
      const waiting = log.waitForMore(0, await log.head(0), { timeoutMs: 5_000 });
      await store.cutConnections();
      await log.read(0, BEGINNING, { max: 35 }).catch(() => undefined);
      expect(await readAll(log)).toHaveLength(200);
      await log.send([hit('more')]);
      await waiting;
      expect(await readAll(log)).toHaveLength(201);
    });

    it('9: names the change when the log was recreated behind a cursor', async () => {
      const log = await open();
      const epoch = await log.epoch();
      await log.send([hit('a'), hit('b')]);
      const cursor = await log.head(0);
      await store.recreate();
      await expect(log.read(0, cursor, { max: 10 })).rejects.toThrow(EpochChanged);
      expect(await log.epoch()).not.toBe(epoch);
    });

    it('13: keeps every string, and refuses what is too large before anything is written', async () => {
      const log = await open();
      const keys = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key ${n}`, n]));
      const odd = { nul: 'a\u0000b', lone: '\ud800', pair: '😀', keys, ['__proto__x']: 1, lines: 'a\nb\u2028' };
      const strange = hit('strange', { data: odd });
      await log.send([strange]);
      const [stored] = await readAll(log);
      expect(stored?.event).toEqual(strange.event);
      const large = hit('large', { data: { text: 'x'.repeat(300_000) } });
      await expect(log.send([hit('b'), large])).rejects.toThrow(HitTooLarge);
      expect(await readAll(log)).toHaveLength(1);
    });

    it('loses and doubles nothing when connections are cut again and again', async () => {
      const log = await open();
      const acknowledged: string[] = [];
      const done = new AbortController();
      const isDone = () => done.signal.aborted;
      const cuts = (async () => {
        while (!isDone()) {
          const before = acknowledged.length;
          for (let cut = 0; cut < 2; cut++) await sleep(15).then(() => store.cutConnections());
          await waitUntil(() => isDone() || acknowledged.length > before); // else none may ever get through
        }
      })();
      const callers = Array.from({ length: 8 }, async (_, caller) => {
        for (let n = 0; n < 15; n++) {
          const sent = [hit(`${caller}-${n}`, { dedupe: n % 2 ? '48h' : 'never' })];
          await log.send(sent).then(
            () => acknowledged.push(sent[0]!.event.id),
            () => undefined,
          );
        }
      });
      await Promise.all(callers);
      done.abort();
      await cuts;
      const stored = idsOf(await readAll(await open()));
      expect(new Set(stored).size).toBe(stored.length);
      expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
      expect(acknowledged.length).toBeGreaterThan(0);
    });

    it('stores a retried event once, within a call, between calls and between processes', async () => {
      const one = await open();
      const two = await open();
      expect((await one.send([hit('a'), hit('a')])).outcomes).toEqual(judged(['stored', 'duplicate']));
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, n) => (n % 2 ? one : two).send([hit('b'), hit('c'), hit(`d${n}`)])),
      );
      if (store.judges !== false) expect(outcomes.filter((result) => result.outcomes[0] === 'stored')).toHaveLength(1);
      expect(await readAll(one)).toHaveLength(13);
    });

    it('stores every event that names no retries, and remembers for ever where asked', async () => {
      const log = await open();
      const never = hit('n', { dedupe: 'never' });
      expect((await log.send([never, never])).outcomes).toEqual(judged(['stored', 'stored']));
      expect((await log.send([hit('f', { dedupe: 'forever' })])).outcomes).toEqual(judged(['stored']));
      const again = await log.send([hit('f'), hit('f', { dedupe: 'forever' })]);
      expect(again.outcomes).toEqual(judged(['duplicate', 'duplicate']));
      expect(idsOf(await readAll(log))).toEqual([never, never, hit('f')].map(({ event }) => event.id));
    });

    it('wakes who waits for more', async () => {
      const log = await open();
      const other = await open();
      const waiting = other.waitForMore(0, BEGINNING, { timeoutMs: 20_000 });
      await log.send([hit('a')]);
      await waiting;
      await other.waitForMore(0, BEGINNING, { timeoutMs: 20_000 });
      const gone = new AbortController();
      const aborted = other.waitForMore(0, await other.head(0), { timeoutMs: 20_000, signal: gone.signal });
      gone.abort();
      await aborted;
    });
  });
}
