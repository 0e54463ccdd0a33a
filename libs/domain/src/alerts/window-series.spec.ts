import fc from 'fast-check';
import { windowSeries } from './window-series';

const windows = fc.array(
  fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 48 })).map(([from, hours]) => ({
    from: from * 3_600_000,
    to: (from + hours) * 3_600_000,
  })),
  { minLength: 1, maxLength: 30 },
);

describe('series of windows', () => {
  it('have each window once, as buckets that follow each other', () =>
    fc.assert(
      fc.property(windows, fc.boolean(), (all, isAdditive) => {
        const series = windowSeries(all, isAdditive);
        const found = series.flatMap(({ buckets, windows: own }) =>
          own.map(({ place, first, end }) => [place, buckets[first]?.from, buckets[end - 1]?.to] as const),
        );
        expect(found.toSorted((a, b) => a[0] - b[0])).toEqual(all.map(({ from, to }, place) => [place, from, to]));
        for (const { buckets, windows: own } of series) {
          expect(buckets.slice(1).map(({ from }) => from)).toEqual(buckets.slice(0, -1).map(({ to }) => to));
          if (!isAdditive) expect(own.every(({ first, end }) => end === first + 1)).toBe(true);
        }
      }),
    ));

  it('do not reach over what lies between windows that are far apart', () => {
    const day = 86_400_000;
    const apart = [0, 7, 14].map((nth) => ({ from: nth * day, to: nth * day + 3_600_000 }));
    for (const isAdditive of [true, false])
      expect(windowSeries(apart, isAdditive).map(({ buckets }) => buckets)).toEqual(apart.map((window) => [window]));
  });
});
