import { changePercent, earlierDays } from './comparison';

describe('the range before', () => {
  it('has the same length and ends the day before', () =>
    expect(earlierDays({ startDate: '2026-03-01', endDate: '2026-03-07' }, 'previous_period')).toEqual({
      startDate: '2026-02-22',
      endDate: '2026-02-28',
    }));

  it('of one day is the day before', () =>
    expect(earlierDays({ startDate: '2026-01-01', endDate: '2026-01-01' }, 'previous_period')).toEqual({
      startDate: '2025-12-31',
      endDate: '2025-12-31',
    }));

  it('may be before 1970', () =>
    expect(earlierDays({ startDate: '1970-01-01', endDate: '1970-01-02' }, 'previous_period')).toEqual({
      startDate: '1969-12-30',
      endDate: '1969-12-31',
    }));

  it('of a year ago has the same dates', () =>
    expect(earlierDays({ startDate: '2026-03-01', endDate: '2026-03-07' }, 'previous_year')).toEqual({
      startDate: '2025-03-01',
      endDate: '2025-03-07',
    }));

  it('takes the 28th where there was no 29th of February', () =>
    expect(earlierDays({ startDate: '2024-02-29', endDate: '2024-02-29' }, 'previous_year')).toEqual({
      startDate: '2023-02-28',
      endDate: '2023-02-28',
    }));
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
