import { changePercent, earlierRange, type Comparison } from './comparison';

describe('the range before one that is over', () => {
  it('has the same length and ends the day before', () =>
    expect(before('2026-03-01', '2026-03-07')).toEqual(['2026-02-22', '2026-02-28', '2026-03-01T00:00:00.000Z']));

  it('of one day is the day before', () =>
    expect(before('2026-01-01', '2026-01-01')).toEqual(['2025-12-31', '2025-12-31', '2026-01-01T00:00:00.000Z']));

  it('may be before 1970', () =>
    expect(before('1970-01-01', '1970-01-02')).toEqual(['1969-12-30', '1969-12-31', '1970-01-01T00:00:00.000Z']));

  it('of a year ago has the same dates', () =>
    expect(yearBefore('2026-03-01', '2026-03-07')).toEqual(['2025-03-01', '2025-03-07', '2025-03-08T00:00:00.000Z']));

  it('takes the 28th where there was no 29th of February', () =>
    expect(yearBefore('2024-02-29', '2024-02-29')).toEqual(['2023-02-28', '2023-02-28', '2023-03-01T00:00:00.000Z']));

  it('is whole before a range that has not begun', () =>
    expect(before('2026-12-01', '2026-12-07')).toEqual(['2026-11-24', '2026-11-30', '2026-12-01T00:00:00.000Z']));
});

describe('the range before one that is not over', () => {
  it.each([
    ['today', '2026-11-25', '2026-11-25', '2026-11-24', '2026-11-24'],
    ['this_week', '2026-11-23', '2026-11-25', '2026-11-16', '2026-11-18'],
    ['this_month', '2026-11-01', '2026-11-25', '2026-10-01', '2026-10-25'],
    ['this_year', '2026-01-01', '2026-11-25', '2025-01-01', '2025-11-25'],
  ])('ends after the same hour: %s', (preset, startDate, endDate, start, end) =>
    expect(before(startDate, endDate, { preset })).toEqual([start, end, `${end}T15:00:00.000Z`]),
  );

  it.each([
    ['last_7d', '2026-11-19', '2026-11-25', '2026-11-12'],
    [undefined, '2026-11-19', '2026-11-30', '2026-11-07'],
  ])('is whole days where no preset says that it is not over: %s', (preset, startDate, endDate, start) =>
    expect(before(startDate, endDate, { preset })).toEqual([start, '2026-11-18', '2026-11-19T00:00:00.000Z']),
  );

  it('of a year ago ends after the same hour, too', () =>
    expect(yearBefore('2026-11-23', '2026-11-25', { preset: 'this_week' })).toEqual([
      ...['2025-11-23', '2025-11-25', '2025-11-25T15:00:00.000Z'],
    ]));

  it('is the whole month before where that has no such day', () => {
    const now = Date.parse('2026-03-30T10:30:00Z');
    expect(before('2026-03-01', '2026-03-30', { preset: 'this_month', now })).toEqual([
      ...['2026-02-01', '2026-02-28', '2026-03-01T00:00:00.000Z'],
    ]);
  });

  it('has the same hour of the clock where clocks have changed in between', () => {
    const zone = 'Europe/Berlin';
    const now = Date.parse('2026-10-25T09:30:00Z'); // 10:30; the day before 10:30 was 08:30Z
    expect(before('2026-10-25', '2026-10-25', { preset: 'today', zone, now })[2]).toBe('2026-10-24T09:00:00.000Z');
  });

  it('has both passes of an hour that clocks repeated, and goes on to one that they skipped', () => {
    const zone = 'Europe/Berlin';
    const repeated = before('2026-10-26', '2026-10-26', {
      preset: 'today',
      zone,
      now: Date.parse('2026-10-26T01:30:00Z'),
    });
    expect(repeated[2]).toBe('2026-10-25T02:00:00.000Z');
    const skipped = before('2026-03-30', '2026-03-30', {
      preset: 'today',
      zone,
      now: Date.parse('2026-03-30T00:30:00Z'),
    });
    expect(skipped[2]).toBe('2026-03-29T01:00:00.000Z');
  });

  it('ends where its last day begins if that begins after the hour', () => {
    const zone = 'America/Havana';
    const now = Date.parse('2026-03-09T04:30:00Z'); // 00:30; the day before began at 01:00
    expect(before('2026-03-09', '2026-03-09', { preset: 'today', zone, now })[2]).toBe('2026-03-08T05:00:00.000Z');
  });
});

describe('a change', () => {
  it('is in percent of the earlier figure', () => {
    expect(changePercent(150, 100)).toBe(50);
    expect(changePercent(1, 3)).toBe(-66.67);
    expect(changePercent(0, 7)).toBe(-100);
    expect(changePercent(999_999, 1_000_000)).toBe(0);
  });

  it('is unknown where there is nothing to compare with', () => {
    expect(changePercent(5, 0)).toBeNull();
    expect(changePercent(0, 0)).toBeNull();
    expect(changePercent(5, null)).toBeNull();
    expect(changePercent(null, 5)).toBeNull();
  });
});

/** A Wednesday. */
const NOW = Date.parse('2026-11-25T14:37:00Z');

interface Asked {
  readonly preset?: string | undefined;
  readonly zone?: string;
  readonly now?: number;
}

const range =
  (period: Comparison) =>
  (startDate: string, endDate: string, asked: Asked = {}) => {
    const earlier = earlierRange({ startDate, endDate, zone: 'UTC', now: NOW, ...asked }, period);
    return [earlier.startDate, earlier.endDate, new Date(earlier.to).toISOString()];
  };
const before = range('previous_period');
const yearBefore = range('previous_year');
