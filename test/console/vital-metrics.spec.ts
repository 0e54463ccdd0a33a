import { describeVital, formatVital, ratingOf } from '../../apps/console/src/pages/website/report/vital-metrics';

describe('a web vital', () => {
  it.each([
    ['LCP', 2_500, 'good'],
    ['LCP', 2_503, 'good'],
    ['LCP', 2_506, 'fair'],
    ['LCP', 4_006, 'poor'],
    ['INP', 200, 'good'],
    ['INP', 500, 'fair'],
    ['CLS', 0.1, 'good'],
    ['CLS', 0.26, 'poor'],
  ] as const)('%s of %d is %s, as web.dev says of what is shown', (metric, p75, rating) =>
    expect(ratingOf(metric, p75)).toBe(rating),
  );

  it('has no rating if it was not measured, or is not known', () =>
    expect([ratingOf('LCP', null), ratingOf('LCP', undefined), ratingOf('FPS', 60)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]));

  it('has its unit', () =>
    expect([formatVital('LCP', 1_840), formatVital('INP', 120), formatVital('CLS', 0.31)]).toEqual([
      '1.84 s',
      '120 ms',
      '0.31',
    ]));

  it('says from where it counts as what', () =>
    expect(describeVital('CLS')).toContain('Good up to 0.1, poor above 0.25.'));
});
