import fc from 'fast-check';
import { FIFTEEN_MINUTES_MS, runsOf } from './fifteen-minutes';

describe('runs of blocks of 15-minute intervals', () => {
  it('are days, and intervals where no day fits', () => {
    const hour = 4 * FIFTEEN_MINUTES_MS;
    const from = 22 * hour - 2 * FIFTEEN_MINUTES_MS;
    const to = 73 * hour + FIFTEEN_MINUTES_MS;
    expect(runsOf(from, to)).toEqual([
      { span: 1, from, to: 24 * hour },
      { span: 96, from: 24 * hour, to: 72 * hour },
      { span: 1, from: 72 * hour, to },
    ]);
    expect(runsOf(0, 24 * hour)).toEqual([{ span: 96, from: 0, to: 24 * hour }]);
    expect(runsOf(hour, 3 * hour)).toEqual([{ span: 1, from: hour, to: 3 * hour }]);
    expect(runsOf(hour, hour)).toEqual([]);
  });

  it('follow one another without a gap, each of whole blocks', () => {
    const place = fc.integer({ min: -500, max: 500 }).map((at) => at * FIFTEEN_MINUTES_MS);
    const property = fc.property(place, place, (from, to) => {
      const runs = runsOf(from, to);
      const edges = [from, ...runs.map((run) => run.to)];
      expect(runs.map((run) => run.from)).toEqual(edges.slice(0, -1));
      expect(edges.at(-1)).toBe(from < to ? to : from);
      for (const run of runs) {
        const ends = [run.from, run.to].map((at) => Math.abs(at % (run.span * FIFTEEN_MINUTES_MS)));
        expect(ends).toEqual([0, 0]);
      }
    });
    fc.assert(property, { seed: 52, numRuns: 500 });
  });
});
