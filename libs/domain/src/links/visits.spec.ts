import fc from 'fast-check';
import { QUARTER_MS, runsOf } from '../time/quarters';
import { visitsOf } from './visits';

describe('the visits of a link', () => {
  it('are one per block, and say when the visitor was there before it', () => {
    const quarters = [0, 1, 5].map((at) => at * QUARTER_MS);
    expect(visitsOf(quarters, [1, 4])).toEqual([
      { span: 1, quarter: 0, previousQuarter: undefined },
      { span: 1, quarter: QUARTER_MS, previousQuarter: 0 },
      { span: 1, quarter: 5 * QUARTER_MS, previousQuarter: QUARTER_MS },
      { span: 4, quarter: 0, previousQuarter: undefined },
      { span: 4, quarter: 4 * QUARTER_MS, previousQuarter: QUARTER_MS },
    ]);
  });

  it('count a visitor once in any stretch of time in which they clicked', () => {
    const place = fc.integer({ min: -60, max: 60 });
    const property = fc.property(fc.uniqueArray(place), place, place, (clicked, since, until) => {
      const quarters = clicked.sort((a, b) => a - b).map((at) => at * QUARTER_MS);
      const [from, to] = [since * QUARTER_MS, until * QUARTER_MS];
      const visits = visitsOf(quarters, SPANS);
      const counted = runsOf(from, to, SPANS).flatMap((run) =>
        visits.filter(({ span, quarter }) => span === run.span && quarter >= run.from && quarter < run.to),
      );
      const returned = counted.filter(({ previousQuarter = -Infinity }) => previousQuarter >= from);
      expect(counted.length - returned.length).toBe(quarters.some((at) => at >= from && at < to) ? 1 : 0);
    });
    fc.assert(property, { seed: 51, numRuns: 500 });
  });
});

const SPANS = [1, 4, 12];
