import fc from 'fast-check';
import { interactionsOf, packReport, scrollOf } from './page-report';

describe('the report of a page view', () => {
  it('fits into one integer and comes out as it went in', () => {
    const report = fc.record({
      scrollDepth: fc.option(fc.integer({ min: 0, max: 10_000 })),
      interactions: fc.option(fc.integer({ min: 0, max: 200_000 })),
    });
    fc.assert(
      fc.property(report, ({ scrollDepth, interactions }) => {
        const packed = packReport({ scrollDepth: scrollDepth === null ? null : scrollDepth / 100, interactions });
        expect(packed).toBeLessThan(2 ** 31);
        expect([scrollOf(packed), interactionsOf(packed)]).toEqual([scrollDepth ?? -1, interactions ?? -1]);
      }),
    );
  });

  it('is 0 where nothing is reported', () => expect(packReport({ scrollDepth: null, interactions: null })).toBe(0));

  it('is cut to what is possible', () => {
    const packed = packReport({ scrollDepth: 180, interactions: 1_000_000 });
    expect([scrollOf(packed), interactionsOf(packed)]).toEqual([10_000, 200_000]);
  });
});
