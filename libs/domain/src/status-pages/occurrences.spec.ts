import fc from 'fast-check';
import { type MaintenanceRepeat, WEEKDAYS } from '@ledgerline/contracts/events/status-page.events';
import { naiveOccurrences } from '@test/oracle/naive-occurrences';
import { isUnderMaintenance, occurrences, shownOccurrences, type Maintenance } from './occurrences';

describe('a maintenance that repeats', () => {
  it.each<[string, Partial<MaintenanceRepeat>, readonly string[]]>([
    ['every day', { every: 'day' }, ['2026-11-01', '2026-11-02', '2026-11-03']],
    ['every third day', { every: 'day', interval: 3 }, ['2026-11-01', '2026-11-04', '2026-11-07']],
    ['on weekdays', { weekdays: ['tuesday', 'thursday'] }, ['2026-11-03', '2026-11-05', '2026-11-10']],
    // 1 November 2026 is the Sunday of a week that counts
    ['every second week', { interval: 2, weekdays: ['monday', 'sunday'] }, ['2026-11-01', '2026-11-09', '2026-11-15']],
    ['on a day of the month', { every: 'month', monthDay: 31 }, ['2026-12-31', '2027-01-31', '2027-03-31']],
    ['on the last day', { every: 'month', monthDay: 'last' }, ['2026-11-30', '2026-12-31', '2027-01-31', '2027-02-28']],
    ['every third month', { every: 'month', interval: 3, monthDay: 1 }, ['2026-11-01', '2027-02-01', '2027-05-01']],
    ['until a day', { every: 'day', until: '2026-11-02' }, ['2026-11-01', '2026-11-02']],
  ])('takes place %s', (_, repeat, days) => {
    const found = occurrences(series(repeat), at('2026-10-01T00:00:00Z'), at('2028-01-01T00:00:00Z'));
    expect(found.slice(0, days.length).map(({ day }) => day)).toEqual(days);
    if (repeat.until) expect(found.length).toBe(days.length);
  });

  it.each([
    ['Europe/Berlin', '2027-03-28', '02:30', '2027-03-28T01:00:00.000Z', 'is skipped: when clocks go on at 03:00'],
    ['Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30:00.000Z', 'comes twice: the first time'],
    ['America/New_York', '2027-03-14', '02:00', '2027-03-14T07:00:00.000Z', 'is skipped: at 03:00'],
    ['America/New_York', '2026-11-01', '01:59', '2026-11-01T05:59:00.000Z', 'comes twice: the first time'],
    ['Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:30:00.000Z', 'is skipped: half an hour is'],
    ['Australia/Lord_Howe', '2027-04-04', '01:45', '2027-04-03T14:45:00.000Z', 'comes twice: half an hour does'],
    ['Pacific/Chatham', '2026-09-27', '03:00', '2026-09-26T14:00:00.000Z', 'is skipped: from 02:45 to 03:45'],
    ['Asia/Kathmandu', '2026-11-01', '02:00', '2026-10-31T20:15:00.000Z', 'is 5:45 ahead'],
  ])('begins in %s on %s at %s, %s, which %s', (timezone, from, startTime, startsAt) => {
    const repeat = { every: 'day' as const, timezone, from, startTime, durationMinutes: 90 };
    const [first] = occurrences(series(repeat), at(startsAt) - 1, at(startsAt) + 1);
    expect(first && [iso(first.startsAt), first.endsAt - first.startsAt, first.day]).toEqual([
      startsAt,
      90 * MINUTE,
      from,
    ]);
  });

  it('takes place when a loop over all minutes says so, around the days on which clocks change', () => {
    const property = fc.property(anyRepeat, fc.integer({ min: -4_000, max: 4_000 }), ({ near, repeat }, ahead) => {
      const from = at(near) + ahead * MINUTE;
      const to = from + 3_000 * MINUTE;
      const found = occurrences(series(repeat), from, to).map(({ startsAt, endsAt }) => [startsAt, endsAt]);
      expect(found).toEqual(naiveOccurrences(repeat, from, to));
    });
    fc.assert(property, { seed: 7, numRuns: 200 });
  });

  it('is under way in exactly the minutes of its occurrences', () => {
    const daily = series({ every: 'day', startTime: '23:30', durationMinutes: 60, timezone: 'UTC' });
    for (const [time, isUnder] of [
      ['2026-11-01T00:00:00Z', false],
      ['2026-11-01T23:29:59Z', false],
      ['2026-11-01T23:30:00Z', true],
      ['2026-11-02T00:29:59Z', true],
      ['2026-11-02T00:30:00Z', false],
    ] as const)
      expect([time, isUnderMaintenance(daily, at(time))]).toEqual([time, isUnder]);
  });

  it('ends early for one occurrence, or is called off, and goes on with the next', () => {
    const ended = series(DAILY, {
      updates: [resolved('2026-11-02', '2026-11-02T02:10:00Z'), resolved('2026-11-04', '2026-11-03T12:00:00Z')],
    });
    const found = occurrences(ended, at('2026-11-02T00:00:00Z'), at('2026-11-06T00:00:00Z'));
    expect(found.map(({ day, overAt }) => [day, iso(overAt)])).toEqual([
      ['2026-11-02', '2026-11-02T02:10:00.000Z'],
      ['2026-11-03', '2026-11-03T03:00:00.000Z'],
      ['2026-11-05', '2026-11-05T03:00:00.000Z'],
    ]);
    expect(isUnderMaintenance(ended, at('2026-11-02T02:20:00Z'))).toBe(false);
  });

  it('takes place no more after the series is ended, and not before it was as it is', () => {
    const ended = series(DAILY, { resolvedAt: '2026-11-03T02:30:00Z', repeatSetAt: '2026-11-02T02:30:00Z' });
    const found = occurrences(ended, at('2026-10-01T00:00:00Z'), at('2027-01-01T00:00:00Z'));
    expect(found.map(({ startsAt, overAt }) => [iso(startsAt), iso(overAt)])).toEqual([
      ['2026-11-02T02:00:00.000Z', '2026-11-02T03:00:00.000Z'],
      ['2026-11-03T02:00:00.000Z', '2026-11-03T02:30:00.000Z'],
    ]);
  });

  it('takes place once without a repeat, as what was stored before there was one', () => {
    const once = { ...series(DAILY), startsAt: '2026-11-01T10:00:00Z', endsAt: '2026-11-01T11:00:00Z' };
    const { repeat: _, repeatSetAt: __, ...stored } = once;
    expect(occurrences(stored, 0, Infinity)).toMatchObject([{ day: null, startsAt: at('2026-11-01T10:00:00Z') }]);
    expect(occurrences({ ...stored, severity: 'minor' }, 0, Infinity)).toEqual([]);
    expect(occurrences({ ...stored, startsAt: null }, 0, Infinity)).toEqual([]);
  });
});

describe('what is shown of a maintenance that repeats', () => {
  const shown = (maintenance: Maintenance, now: string) =>
    shownOccurrences(maintenance, at(now)).map(({ day, announcedAt }) => [day, iso(announcedAt)]);

  it('is the occurrence that goes on or is next, and the last one that is over', () => {
    const daily = series(DAILY, { repeatSetAt: '2026-10-30T00:00:00Z' });
    const first = ['2026-11-01', '2026-10-30T00:00:00.000Z'];
    const second = ['2026-11-02', '2026-11-01T03:00:00.000Z'];
    expect(shown(daily, '2026-10-31T00:00:00Z')).toEqual([first]);
    expect(shown(daily, '2026-11-01T02:30:00Z')).toEqual([first]);
    expect(shown(daily, '2026-11-01T03:00:00Z')).toEqual([first, second]);
    expect(shown(daily, '2026-11-02T02:59:59Z')).toEqual([first, second]);
  });

  it('is the next but one when the next is called off, which is over', () => {
    const off = series(DAILY, {
      repeatSetAt: '2026-10-30T00:00:00Z',
      updates: [resolved('2026-11-02', '2026-11-01T12:00:00Z')],
    });
    expect(shown(off, '2026-11-01T13:00:00Z')).toEqual([
      ['2026-11-02', '2026-11-01T03:00:00.000Z'],
      ['2026-11-03', '2026-11-01T12:00:00.000Z'],
    ]);
  });

  it.each([
    ['goes on', '2026-11-02T02:30:00Z', ['2026-11-01', '2026-11-02']],
    ['is next', '2026-11-02T12:00:00Z', ['2026-11-02', '2026-11-03']],
  ])('stays the one that %s when the series is ended', (_, resolvedAt, days) => {
    const ended = series(DAILY, { resolvedAt });
    expect(shown(ended, '2026-12-24T00:00:00Z').map(([day]) => day)).toEqual(days);
    expect(shownOccurrences(ended, at('2026-12-24T00:00:00Z')).at(-1)?.overAt).toBe(at(resolvedAt));
  });

  it('is the last one after the last day, and nothing of one that takes place once', () => {
    const until = series({ ...DAILY, until: '2026-11-03' });
    expect(shown(until, '2026-12-24T00:00:00Z').map(([day]) => day)).toEqual(['2026-11-03']);
    expect(shown({ ...until, repeat: null }, '2026-12-24T00:00:00Z')).toEqual([]);
  });
});

const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);
const iso = (time: number) => new Date(time).toISOString();

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
const DAILY: MaintenanceRepeat = { ...WEEKLY, every: 'day', timezone: 'UTC' };

const series = (repeat: Partial<MaintenanceRepeat>, more: Partial<Maintenance> = {}): Maintenance => ({
  severity: 'maintenance',
  startsAt: null,
  endsAt: null,
  resolvedAt: null,
  repeatSetAt: '2020-01-01T00:00:00Z',
  updates: [],
  repeat: { ...WEEKLY, ...repeat },
  ...more,
});

const resolved = (occurrence: string, time: string) =>
  ({ at: time, status: 'resolved', message: 'Done.', occurrence }) as const;

const DAY = 24 * 60 * MINUTE;
const dayOf = (time: number) => iso(time).slice(0, 10);

/** Days on which clocks change, in zones that have odd ones, and others. */
const CHANGES = [
  ['Australia/Lord_Howe', '2026-10-04', '2027-04-04', '2028-02-29'],
  ['Asia/Kathmandu', '2026-12-31'],
  ['Pacific/Chatham', '2026-09-27', '2027-04-04'],
  ['America/New_York', '2026-11-01', '2027-03-14'],
] as const;

const anyRepeat = fc
  .record({
    zone: fc
      .constantFrom(...CHANGES)
      .chain(([timezone, ...days]) => fc.constantFrom(...days).map((near) => ({ timezone, near }))),
    before: fc.nat(40),
    lasts: fc.option(fc.nat(60)),
    hour: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.nat(23)),
    minute: fc.nat(59),
    durationMinutes: fc.integer({ min: 1, max: 22 * 60 }),
    interval: fc.integer({ min: 1, max: 3 }),
    days: fc.oneof(
      fc.constant({ every: 'day' as const }),
      fc
        .uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1 })
        .map((weekdays) => ({ every: 'week' as const, weekdays })),
      fc
        .oneof(fc.integer({ min: 1, max: 31 }), fc.constant('last' as const))
        .map((monthDay) => ({ every: 'month' as const, monthDay })),
    ),
  })
  .map(({ zone: { timezone, near }, before, lasts, hour, minute, days, ...more }) => {
    const first = at(near) - before * DAY;
    const twoDigits = (number: number) => String(number).padStart(2, '0');
    const startTime = `${twoDigits(hour)}:${twoDigits(minute)}`;
    const dates = { from: dayOf(first), until: lasts === null ? null : dayOf(first + lasts * DAY) };
    return { near, repeat: { ...WEEKLY, ...more, ...days, ...dates, timezone, startTime } };
  });
