import { bucketAt, bucketStart, formatChange, formatFigure } from '../../apps/console/src/pages/website/format';

describe('a percentage', () => {
  it.each([
    [66.67, '67\u00A0%'],
    [9.96, '10\u00A0%'],
    [9.94, '9.9\u00A0%'],
    [8, '8.0\u00A0%'],
    [0, '0\u00A0%'],
    [0.05, '0.1\u00A0%'],
    [0.04, '<0.1\u00A0%'],
  ])('of %d is whole from ten on, and has one decimal below', (value, shown) =>
    expect(formatFigure('percent', value)).toBe(shown),
  );
});

describe('a duration', () => {
  it.each([
    [9.94, '9.9 s'],
    [117, '1\u00A0min 57\u00A0s'],
    [120, '2\u00A0min'],
    [5_400, '1\u00A0h 30\u00A0min'],
  ])('of %d seconds has units as they are read', (seconds, shown) =>
    expect(formatFigure('seconds', seconds)).toBe(shown),
  );
});

describe('the change of a figure', () => {
  const changed = (now: unknown, before: unknown, kind: Parameters<typeof formatFigure>[0] = 'count') => {
    const isKnown = typeof now === 'number' && typeof before === 'number' && before !== 0;
    return formatChange({ kind, now, before, change: isKnown ? ((now - before) / before) * 100 : null });
  };

  it('is in percent of the earlier one', () =>
    expect([changed(9, 8), changed(7, 8), changed(8, 8), changed(77, 7)]).toEqual([
      '+13\u00A0%',
      '−13\u00A0%',
      '–',
      '+1,000\u00A0%',
    ]));

  it('is a dash where nothing changed', () =>
    expect([changed(0, 0, 'percent'), changed(3.5, 3.5, 'seconds')]).toEqual(Array(2).fill('–')));

  it('is new for a count that came from nothing, or from almost nothing', () =>
    expect([changed(5, 0), changed(1229, 7), changed(20_000, 60)]).toEqual(['new', 'new', 'new']));

  it('is in percent if it came from something, however much it grew', () =>
    expect(changed(1738, 112)).toBe('+1,452\u00A0%'));

  it('is nothing where there was nothing, or nothing is known', () =>
    expect([changed(0, 0), changed(5, undefined), changed(null, 3), changed(40, null, 'seconds')]).toEqual(
      Array(4).fill(''),
    ));

  it('is nothing for a rate or a time that came from almost nothing', () =>
    expect([changed(40, 0.1, 'seconds'), changed(50, 0, 'percent')]).toEqual(['', '']));
});

describe('the bucket of now', () => {
  const now = new Date('2026-03-02T22:30:00Z');

  it('is the last one of a range that is not over', () =>
    expect(bucketAt(['2026-03-01', '2026-03-02'], 'UTC', now)).toBe(1));

  it('is of the time zone of the labels', () =>
    expect(bucketAt(['2026-03-02', '2026-03-03'], 'Europe/Berlin', now)).toBe(0));

  it('has hours after it that have not begun', () =>
    expect(bucketAt(['2026-03-02 21:00:00', '2026-03-02 22:00:00', '2026-03-02 23:00:00'], 'UTC', now)).toBe(1));

  it('is the week or month that began last, if it is not over', () =>
    expect([
      bucketAt(['2026-02-16', '2026-02-23', '2026-03-02'], 'UTC', now),
      bucketAt(['2026-02-16', '2026-02-23'], 'UTC', now),
      bucketAt(['2026-02-01', '2026-03-01'], 'UTC', now),
    ]).toEqual([2, undefined, 1]));

  it('is not in a range that is over or has not begun', () =>
    expect([
      bucketAt(['2026-02-28', '2026-03-01'], 'UTC', now),
      bucketAt(['2026-03-03'], 'UTC', now),
      bucketAt([], 'UTC', now),
    ]).toEqual([undefined, undefined, undefined]));
});

describe('the beginning of a bucket', () => {
  it.each([
    ['2026-03-02', 'UTC', '2026-03-02T00:00:00.000Z'],
    ['2026-03-02', 'Europe/Berlin', '2026-03-01T23:00:00.000Z'],
    ['2026-07-02', 'Europe/Berlin', '2026-07-01T22:00:00.000Z'],
    ['2026-03-02 13:00:00', 'America/New_York', '2026-03-02T18:00:00.000Z'],
    ['2026-03-02 13:00:00', 'Asia/Kolkata', '2026-03-02T07:30:00.000Z'],
  ])('%s in %s is %s, in that bucket', (label, zone, instant) => {
    expect(bucketStart(label, zone).toISOString()).toBe(instant);
    expect(bucketAt([label], zone, new Date(instant))).toBe(0);
  });
});
