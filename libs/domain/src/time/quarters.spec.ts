import fc from 'fast-check';
import { QUARTER_MS, runsOf } from './quarters';

describe('runs of blocks of quarters', () => {
  it('are the largest blocks that fit', () => {
    const hour = 4 * QUARTER_MS;
    const [from, to] = [22 * hour - 2 * QUARTER_MS, 73 * hour + QUARTER_MS];
    expect(runsOf(from, to, [1, 4, 96])).toEqual([
      { span: 1, from, to: 22 * hour },
      { span: 4, from: 22 * hour, to: 24 * hour },
      { span: 96, from: 24 * hour, to: 72 * hour },
      { span: 4, from: 72 * hour, to: 73 * hour },
      { span: 1, from: 73 * hour, to },
    ]);
    expect(runsOf(hour, 3 * hour, [1, 4, 96])).toEqual([{ span: 4, from: hour, to: 3 * hour }]);
    expect(runsOf(hour, hour, [1, 4, 96])).toEqual([]);
  });

  it('follow one another without a gap, each of whole blocks', () => {
    const place = fc.integer({ min: -500, max: 500 }).map((at) => at * QUARTER_MS);
    const property = fc.property(place, place, (from, to) => {
      const runs = runsOf(from, to, [1, 4, 96]);
      const edges = [from, ...runs.map((run) => run.to)];
      expect(runs.map((run) => run.from)).toEqual(edges.slice(0, -1));
      expect(edges.at(-1)).toBe(from < to ? to : from);
      for (const run of runs) {
        const ends = [run.from, run.to].map((at) => Math.abs(at % (run.span * QUARTER_MS)));
        expect(ends).toEqual([0, 0]);
      }
    });
    fc.assert(property, { seed: 52, numRuns: 500 });
  });
});
