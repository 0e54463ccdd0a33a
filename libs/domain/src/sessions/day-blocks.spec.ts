import fc from 'fast-check';
import { blockOf, blocksOf } from './day-blocks';

const SPANS = [1, 8, 64];
const range = fc.tuple(fc.integer({ min: -700, max: 700 }), fc.nat(500)).map(([since, days]) => {
  return { since, until: since + days };
});
const cut = fc.record({
  spans: fc.constantFrom(SPANS, [1, 4, 16, 64], [1]),
  before: fc.boolean(),
  after: fc.boolean(),
  today: fc.integer({ min: -700, max: 1300 }),
});

describe('a range of days in blocks', () => {
  it('holds each of its days once and no other, from blocks that are there once', () => {
    const property = fc.property(range, cut, ({ since, until }, wish) => {
      const blocks = blocksOf({ since, until }, wish);
      const times = new Map<number, number>();
      for (const { span, day, sign } of blocks) {
        for (let at = day; at < day + span; at++) times.set(at, (times.get(at) ?? 0) + sign);
      }
      expect(blocks.filter(({ span, day }) => day !== blockOf(day, span))).toEqual([]);
      const held = [...times].filter(([, sum]) => sum !== 0).sort(([a], [b]) => a - b);
      expect(held).toEqual(Array.from({ length: until - since + 1 }, (_, at) => [since + at, 1]));
      expect(new Set(blocks.map(({ span, day }) => `${span} ${day}`)).size).toBe(blocks.length);
    });
    fc.assert(property, { seed: 48, numRuns: 500 });
  });

  it('reaches beyond its ends only where it may', () => {
    const property = fc.property(range, cut, ({ since, until }, wish) => {
      const blocks = blocksOf({ since, until }, wish);
      if (!wish.before) expect(blocks.every(({ day }) => day >= since)).toBe(true);
      if (!wish.after) expect(blocks.every(({ day, span }) => day + span - 1 <= until)).toBe(true);
    });
    fc.assert(property, { seed: 49, numRuns: 500 });
  });

  it('needs few of them', () => {
    const property = fc.property(range, fc.boolean(), ({ since, until }, isOver) => {
      const days = until - since;
      const most = (days: number, ends: number) => 2 + days / 64 + ends;
      const today = isOver ? 10_000 : until;
      const wish = { spans: SPANS, before: true, after: true, today };
      expect(paid(blocksOf({ since, until }, wish), today)).toBeLessThanOrEqual(most(days, isOver ? 16 : 8));
      expect(paid(blocksOf({ since, until }, { ...wish, before: false }), today)).toBeLessThanOrEqual(
        most(days, isOver ? 22 : 14),
      );
    });
    fc.assert(property, { seed: 50, numRuns: 500 });
  });

  it('of nothing are none', () => {
    expect(blocksOf({ since: 5, until: 4 }, { spans: SPANS, before: true, after: true, today: 5 })).toEqual([]);
  });
});

const paid = (blocks: readonly { readonly day: number }[], today: number) =>
  blocks.filter(({ day }) => day <= today).length;
