import fc from 'fast-check';
import { headerOf, MessageAuthenticator, type ReadMessage, hitMessageJson } from '@ledgerline/kafka/hit-message';
import type { Senders } from '@ledgerline/kafka/topic-offsets';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { hit } from '@test/intake-log/hits.fixture';
import { chunksOf, type Chunk } from './message-chunks';

const NOON = Date.UTC(2026, 0, 5, 12);

describe('the messages of a partition', () => {
  it('are stored once, however often senders repeat them and wherever reading begins anew', () => {
    const send = fc.record({
      sender: fc.constantFrom('a', 'b'),
      hits: fc.integer({ min: 1, max: 4 }),
      times: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(send, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (sends, sizes) => {
          const next: Record<string, number> = {};
          const messages: ReadMessage[] = [];
          const wanted: string[] = [];
          for (const [at, { sender, hits, times }] of sends.entries()) {
            const items = Array.from({ length: hits }, (_, n) => hit(`${at}-${n}`, { dedupe: 'never' }));
            const first = next[sender] ?? 0;
            next[sender] = first + hits;
            wanted.push(...items.map(({ event }) => event.id));
            for (let time = 0; time < times; time++)
              messages.push(...items.map((item, n) => messageOf(item, { sender, number: first + n })));
          }
          let senders: Senders = {};
          const stored: string[] = [];
          while (messages.length > 0) {
            for (const chunk of chunks(messages.splice(0, Number(sizes.next().value)), senders)) {
              senders = JSON.parse(JSON.stringify(chunk.senders)) as Senders;
              stored.push(...chunk.hits.map(({ event }) => event.id));
            }
          }
          expect(stored).toEqual(wanted);
        },
      ),
      { seed: 26, numRuns: 200 },
    );
  });

  it('are parted at midnight, where retries are recorded on another day', () => {
    const midnight = Date.UTC(2026, 0, 6);
    const times = [midnight - 2, midnight - 1, midnight, midnight + 1];
    const found = chunks(times.map((at, number) => messageOf(hit(`${number}`), { number, at })));
    expect(found.map(({ hits, arrivedAt, to }) => [hits.length, arrivedAt, to])).toEqual([
      [2, midnight - 1, 2],
      [2, midnight + 1, 4],
    ]);
  });

  it('are parted when they are many, but never within a batch', () => {
    const batch = 'c'.repeat(32);
    const items = Array.from({ length: 5_000 }, (_, n) =>
      n >= 1_990 && n < 2_500 ? { ...hit(`${n}`), batch } : hit(`${n}`),
    );
    const found = chunks(items.map((item, number) => messageOf(item, { number })));
    expect(found.map(({ hits }) => hits.length)).toEqual([2_500, 2_000, 500]);
  });

  it('are counted where they are no hits, and forget senders who are gone', () => {
    const good = messageOf(hit('a'), { number: 0 });
    const bad = { ...messageOf(hit('bad'), { number: 1 }), headers: {} };
    const late = messageOf(hit('late'), { number: 0, sender: 'b', at: NOON + 2 * 3_600_000 });
    const [chunk] = chunks([good, bad, late]);
    expect(chunk).toMatchObject({
      refused: [{ offset: 1, reason: 'no header of a tracker' }],
      senders: { b: [0, NOON + 7_200_000] },
    });
    expect(chunk?.senders).not.toHaveProperty('a');
  });
});

it('of a tracker are not suppressed by a forged one that numbers its sender far ahead', () => {
  const sent = ['a', 'b', 'c'].map((name, number) => messageOf(hit(name, { dedupe: 'never' }), { number }));
  const far = Buffer.from(headerOf(hit('forged'), 'a', 1_000_000));
  const forged = (headers: object) => ({
    ...messageOf(hit('forged'), { number: 9 }),
    headers: { hit: far, ...headers },
  });
  for (const requiresTags of [true, false])
    for (const headers of [{}, { tag: Buffer.from('x'.repeat(22)) }, { tag: sent[0]!.headers!['tag'] }]) {
      const found = chunks([sent[0]!, forged(headers), ...sent.slice(1)], {}, requiresTags);
      const ids = found.flatMap(({ hits }) => hits.map(({ event }) => event.id));
      expect(ids).toEqual(expect.arrayContaining(sent.map((_, at) => hit(['a', 'b', 'c'][at]!).event.id)));
    }
});

let offset = 0;
beforeEach(() => (offset = 0));

const tags = new MessageAuthenticator('pepper', 'hits');

function messageOf(
  item: IntakeItem,
  { number, sender = 'a', at = NOON }: { number: number; sender?: string; at?: number },
): ReadMessage {
  const key = item.subject;
  const value = hitMessageJson(item.event);
  const header = headerOf(item, sender, number);
  const tag = tags.tagOf({ partition: 0, key, hit: header, traceparent: undefined, value });
  return {
    key: Buffer.from(key),
    value: Buffer.from(value),
    headers: { hit: Buffer.from(header), tag: Buffer.from(tag) },
    offset: String(offset++),
    timestamp: String(at),
  };
}

const chunks = (messages: readonly ReadMessage[], senders: Senders = {}, requiresTags = true): Chunk[] => [
  ...chunksOf(messages, { partition: 0, partitions: 1, tags, requiresTags, senders }),
];
