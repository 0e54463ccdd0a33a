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
  latestDay: fc.integer({ min: -700, max: 1300 }),
});

describe('a range of days in blocks', () => {
  it('holds each of its days up to the latest once and no other, from blocks that are there once', () => {
    const property = fc.property(range, cut, ({ since, until }, wish) => {
      const blocks = blocksOf({ since, until }, wish);
      const times = new Map<number, number>();
      for (const { span, day, sign } of blocks) {
        for (let at = day; at < day + span; at++) {
          if (isIn(at, span, wish.latestDay)) times.set(at, (times.get(at) ?? 0) + sign);
        }
      }
      expect(blocks.filter(({ span, day }) => day !== blockOf(day, span))).toEqual([]);
      const held = [...times].filter(([, sum]) => sum !== 0).sort(([a], [b]) => a - b);
      const days = Math.max(0, Math.min(until, wish.latestDay) - since + 1);
      expect(held).toEqual(Array.from({ length: days }, (_, at) => [since + at, 1]));
      expect(new Set(blocks.map(({ span, day }) => `${span} ${day}`)).size).toBe(blocks.length);
    });
    fc.assert(property, { seed: 48, numRuns: 1000 });
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
      const latestDay = isOver ? 10_000 : until;
      const wish = { spans: SPANS, before: true, after: true, latestDay };
      expect(blocksOf({ since, until }, wish).length).toBeLessThanOrEqual(most(days, isOver ? 16 : 9));
      expect(blocksOf({ since, until }, { ...wish, before: false }).length).toBeLessThanOrEqual(
        most(days, isOver ? 22 : 15),
      );
    });
    fc.assert(property, { seed: 50, numRuns: 500 });
  });

  it('of nothing are none', () => {
    expect(blocksOf({ since: 5, until: 4 }, { spans: SPANS, before: true, after: true, latestDay: 5 })).toEqual([]);
  });
});

/** Whether a block has what happened on one of its days. */
const isIn = (day: number, span: number, latestDay: number): boolean =>
  span === 1 ? day <= latestDay : day < latestDay;
