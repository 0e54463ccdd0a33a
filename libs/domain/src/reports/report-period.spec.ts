import { lastReportPeriod } from './report-period';

const HOUR_MS = 3_600_000;
const at = (text: string) => Date.parse(text);
const BERLIN = { period: 'week', timezone: 'Europe/Berlin' } as const;

describe('the period of a report', () => {
  it('is the last week that is over, from Monday to Sunday, in the zone of the report', () => {
    const week = { startDate: '2026-11-16', endDate: '2026-11-22', nextDate: '2026-11-23' };
    const times = { until: at('2026-11-22T23:00:00Z'), dueAt: at('2026-11-23T07:00:00Z') };
    for (const now of ['2026-11-22T23:00:00Z', '2026-11-29T22:59:59Z'])
      expect(lastReportPeriod(BERLIN, at(now))).toEqual({ ...week, ...times });
    expect(lastReportPeriod(BERLIN, at('2026-11-22T22:59:59Z'))).toMatchObject({ endDate: '2026-11-15' });
    expect(lastReportPeriod({ ...BERLIN, timezone: 'Pacific/Auckland' }, at('2026-11-22T11:00:00Z'))).toMatchObject(
      week,
    );
  });

  it('is the last month that is over, however long it is', () => {
    const month = (now: string) => lastReportPeriod({ period: 'month', timezone: 'UTC' }, at(now));
    expect(month('2028-03-01T00:00:00Z')).toMatchObject({ startDate: '2028-02-01', endDate: '2028-02-29' });
    expect(month('2026-12-31T23:59:59Z')).toMatchObject({ startDate: '2026-11-01', endDate: '2026-11-30' });
    expect(month('2027-01-01T08:00:00Z').dueAt).toBe(at('2027-01-01T08:00:00Z'));
  });

  it('is due at 08:00 of its clock where clocks change that day, or show no such midnight', () => {
    const month = (timezone: string, now: string) => lastReportPeriod({ period: 'month', timezone }, at(now));
    const back = month('America/New_York', '2026-11-15T00:00:00Z');
    expect([back.until, back.dueAt]).toEqual([at('2026-11-01T04:00:00Z'), at('2026-11-01T13:00:00Z')]);
    const skipped = month('America/Asuncion', '2023-10-15T00:00:00Z');
    expect([skipped.until, skipped.dueAt]).toEqual([at('2023-10-01T04:00:00Z'), at('2023-10-01T11:00:00Z')]);
    // the hour before 03:00 came twice, on the Sunday that is its last day
    const autumn = lastReportPeriod(BERLIN, at('2026-10-27T00:00:00Z'));
    expect(autumn.until - at('2026-10-18T22:00:00Z')).toBe((7 * 24 + 1) * HOUR_MS);
  });
});
