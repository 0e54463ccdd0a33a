import type { MaintenanceRepeat } from '@ledgerline/contracts/events/status-page.events';
import { repeatText } from './repeat-text';

describe('when a maintenance repeats, in a sentence', () => {
  it.each<[Partial<MaintenanceRepeat>, string]>([
    [{ weekdays: ['tuesday', 'thursday'] }, 'Every Tuesday and Thursday 02:00–03:00, Europe/Berlin'],
    [{ weekdays: ['monday', 'tuesday', 'friday'] }, 'Every Monday, Tuesday and Friday 02:00–03:00, Europe/Berlin'],
    [{ interval: 2, weekdays: ['sunday'] }, 'Every 2 weeks on Sunday, 02:00–03:00, Europe/Berlin'],
    [{ every: 'day' }, 'Every day 02:00–03:00, Europe/Berlin'],
    [{ every: 'day', interval: 3, until: '2027-01-31' }, 'Every 3 days 02:00–03:00, Europe/Berlin, until 2027-01-31'],
    [{ every: 'month', monthDay: 15 }, 'Every month on day 15, 02:00–03:00, Europe/Berlin'],
    [{ every: 'month', interval: 3, monthDay: 'last' }, 'Every 3 months on the last day, 02:00–03:00, Europe/Berlin'],
    [{ every: 'day', startTime: '23:30', durationMinutes: 95 }, 'Every day 23:30–01:05, Europe/Berlin'],
    [
      { every: 'month', monthDay: 1, durationMinutes: 2 * 1_440 + 90 },
      'Every month on day 1, 02:00 for 2 d 1 h 30 min, Europe/Berlin',
    ],
  ])('%j: %s', (more, text) => expect(repeatText({ ...WEEKLY, ...more })).toBe(text));
});

const WEEKLY: MaintenanceRepeat = {
  every: 'week',
  interval: 1,
  weekdays: [],
  monthDay: null,
  timezone: 'Europe/Berlin',
  startTime: '02:00',
  durationMinutes: 60,
  from: '2026-11-01',
  until: null,
};
