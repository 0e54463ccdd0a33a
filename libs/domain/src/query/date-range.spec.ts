import { dateRange, daysIn, isQueryableDay } from './date-range';

describe('the dates of a request', () => {
  it('are the last seven days, today included, when none are named', () =>
    expect(dateRange({}, 'UTC', NOW)).toEqual({ ok: true, startDate: '2026-03-10', endDate: '2026-03-16', notes: [] }));

  it('are taken as they are named, both included', () => {
    const range = { startDate: '2026-02-01', endDate: '2026-02-28' };
    expect(dateRange(range, 'UTC', NOW)).toEqual({ ok: true, ...range, notes: [] });
    expect(daysIn(range)).toBe(28);
  });

  it.each([
    ['today', '2026-03-16', '2026-03-16'],
    ['yesterday', '2026-03-15', '2026-03-15'],
    ['last_7d', '2026-03-10', '2026-03-16'],
    ['last_14d', '2026-03-03', '2026-03-16'],
    ['last_30d', '2026-02-15', '2026-03-16'],
    ['last_90d', '2025-12-17', '2026-03-16'],
    ['this_week', '2026-03-16', '2026-03-16'],
    ['last_week', '2026-03-09', '2026-03-15'],
    ['this_month', '2026-03-01', '2026-03-16'],
    ['last_month', '2026-02-01', '2026-02-28'],
    ['this_year', '2026-01-01', '2026-03-16'],
  ])('of the preset %s are %s to %s', (preset, startDate, endDate) =>
    expect(dateRange({ preset }, 'UTC', NOW)).toEqual({ ok: true, startDate, endDate, notes: [] }),
  );

  it.each([
    ['UTC', '2026-03-15T13:00:00Z', '2026-03-16T13:00:00Z', '2026-03-15', '2026-03-16'],
    ['Asia/Kolkata', '2026-03-15T12:30:00Z', '2026-03-16T12:30:00Z', '2026-03-15', '2026-03-16'],
    ['Pacific/Kiritimati', '2026-03-15T13:00:00Z', '2026-03-16T13:00:00Z', '2026-03-16', '2026-03-17'],
  ])('of the preset last_24h end with the hour of the clock that is now: %s', (zone, from, to, startDate, endDate) =>
    expect(dateRange({ preset: 'last_24h' }, zone, NOW)).toEqual({
      ok: true,
      startDate,
      endDate,
      notes: [],
      from: Date.parse(from),
      to: Date.parse(to),
    }),
  );

  it('begin a week on Monday, also on a Sunday', () => {
    const sunday = Date.parse('2026-03-15T12:00:00Z');
    expect(dateRange({ preset: 'this_week' }, 'UTC', sunday)).toMatchObject({ startDate: '2026-03-09' });
  });

  it('mean today where the request is', () => {
    expect(dateRange({ preset: 'today' }, 'Pacific/Kiritimati', NOW)).toMatchObject({ startDate: '2026-03-17' });
    expect(dateRange({ preset: 'today' }, 'Pacific/Niue', NOW)).toMatchObject({ startDate: '2026-03-16' });
  });

  it('are those of the preset when both are given, with a note', () => {
    const both = dateRange({ preset: 'today', startDate: '2026-01-01', endDate: '2026-01-02' }, 'UTC', NOW);
    expect(both).toMatchObject({ ok: true, startDate: '2026-03-16', notes: [expect.stringContaining('today')] });
  });

  it.each([{ startDate: '2026-01-01' }, { endDate: '2026-01-02' }])('are those of the preset beside only %j', (one) => {
    const range = dateRange({ preset: 'today', ...one }, 'UTC', NOW);
    expect(range).toMatchObject({ ok: true, startDate: '2026-03-16', notes: [expect.stringContaining('today')] });
  });

  it.each([
    [{ preset: 'today', startDate: '2026-02-30' }, ['startDate']],
    [{ startDate: '2026-02-30', endDate: '2026-03-01' }, ['startDate']],
    [{ startDate: '26-2-3', endDate: 'tomorrow' }, ['startDate', 'endDate']],
    [{ startDate: '2026-03-02', endDate: '2026-03-01' }, ['startDate']],
    [{ startDate: '2026-03-02' }, ['endDate']],
    [{ endDate: '2026-03-02' }, ['startDate']],
    [{ preset: 'last_7_d', startDate: '2026-13-01', endDate: '2026-03-01' }, ['preset', 'startDate']],
  ])('that make no sense name every wrong field: %j', (request, fields) => {
    const range = dateRange(request, 'UTC', NOW);
    expect(range.ok ? [] : range.errors.map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    ['1900-01-01', 'Must be a date from 1970-01-01 to 2199-12-31.'],
    ['1969-12-31', 'Must be a date from 1970-01-01 to 2199-12-31.'],
    ['9999-12-31', 'Must be a date from 1970-01-01 to 2199-12-31.'],
    ['1900-02-29', 'Must be a date that exists, as YYYY-MM-DD.'],
    ['1970-01-00', 'Must be a date that exists, as YYYY-MM-DD.'],
  ])('say why a date is none: %s', (endDate, message) =>
    expect(dateRange({ preset: 'today', endDate }, 'UTC', NOW)).toEqual({
      ok: false,
      errors: [{ field: 'endDate', message }],
    }),
  );

  it('may be the first and the last that there are', () => {
    for (const day of ['1970-01-01', '2199-12-31'])
      expect(dateRange({ startDate: day, endDate: day }, 'UTC', NOW)).toMatchObject({ ok: true });
  });

  it('suggest the preset that was meant', () =>
    expect(dateRange({ preset: 'last_7days' }, 'UTC', NOW)).toMatchObject({ errors: [{ suggestion: 'last_7d' }] }));

  it('know leap days', () => {
    expect(isQueryableDay('2024-02-29')).toBe(true);
    expect(isQueryableDay('2026-02-29')).toBe(false);
  });
});

/** A Monday; already Tuesday on Kiritimati. */
const NOW = Date.parse('2026-03-16T12:00:00Z');
