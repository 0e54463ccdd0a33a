import fc from 'fast-check';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/time-blocks';
import { FIFTEEN_MINUTES_MS, runsOf } from '../time/fifteen-minutes';
import { visitsOf } from './visits';

describe('the visits of a link', () => {
  it('are one per block, and name the visit before it', () => {
    const intervals = [0, 1, 5].map((at) => at * FIFTEEN_MINUTES_MS);
    expect(visitsOf(intervals, [1, 4])).toEqual([
      { span: 1, start: 0, previous: undefined },
      { span: 1, start: FIFTEEN_MINUTES_MS, previous: 0 },
      { span: 1, start: 5 * FIFTEEN_MINUTES_MS, previous: FIFTEEN_MINUTES_MS },
      { span: 4, start: 0, previous: undefined },
      { span: 4, start: 4 * FIFTEEN_MINUTES_MS, previous: FIFTEEN_MINUTES_MS },
    ]);
  });

  it('count a visitor once in any stretch of time in which they clicked', () => {
    const place = fc.integer({ min: -300, max: 300 });
    const property = fc.property(fc.uniqueArray(place), place, place, (clicked, since, until) => {
      const intervals = clicked.sort((a, b) => a - b).map((at) => at * FIFTEEN_MINUTES_MS);
      const from = since * FIFTEEN_MINUTES_MS;
      const to = until * FIFTEEN_MINUTES_MS;
      const visits = visitsOf(intervals, LINK_SPANS);
      const counted = runsOf(from, to).flatMap((run) =>
        visits.filter(({ span, start }) => span === run.span && start >= run.from && start < run.to),
      );
      const returned = counted.filter(({ previous = -Infinity }) => previous >= from);
      expect(counted.length - returned.length).toBe(intervals.some((at) => at >= from && at < to) ? 1 : 0);
    });
    fc.assert(property, { seed: 51, numRuns: 500 });
  });
});
