import { WINDOW_MINUTES, usualWindows, windowsBetween } from './alert-windows';

const MINUTE = 60_000;
const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16);
const shape = (minutes: number, zone = 'UTC', wholeDays = false) => ({ minutes, zone, wholeDays });

/** What clocks show, as `YYYY-MM-DD HH:MM`, by the runtime alone. */
const shown = (ms: number, zone: string) => {
  const known = FORMATS.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { ...SHORT, timeZone: zone });
  FORMATS.set(zone, known);
  return known.format(ms);
};
const SHORT = { dateStyle: 'short', timeStyle: 'short' } as const;
const FORMATS = new Map<string, Intl.DateTimeFormat>();

describe('windows of alerts', () => {
  it('end every 5, 5, 5, 5, 15, 30 min, 1, 2, 24 h', () => {
    const ends = WINDOW_MINUTES.map((minutes) => windowsBetween(shape(minutes), 0, 24 * 60 * MINUTE).length);
    expect(ends).toEqual([288, 288, 288, 288, 96, 48, 24, 12, 1]);
  });

  it('exclude the instant they come after, and include the one they go to', () => {
    const windows = windowsBetween(shape(60), at('2026-11-03T10:00Z'), at('2026-11-03T10:10Z'));
    expect(windows.map(({ from, to }) => [iso(from), iso(to)])).toEqual([
      ['2026-11-03T09:05', '2026-11-03T10:05'],
      ['2026-11-03T09:10', '2026-11-03T10:10'],
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03-28', '2026-03-31'],
    ['Europe/Berlin', '2026-10-24', '2026-10-27'],
    ['America/Havana', '2026-10-31', '2026-11-03'],
    ['Africa/Cairo', '2026-04-23', '2026-04-26'],
    ['Australia/Lord_Howe', '2026-04-04', '2026-04-07'],
    ['Asia/Kathmandu', '2026-04-04', '2026-04-07'],
  ])('end where clocks of %s from %s show a multiple of the step, or skip it', (zone, first, last) => {
    for (const [minutes, step] of [
      [60, 5],
      [180, 15],
      [360, 30],
      [720, 60],
    ] as const) {
      const ends = windowsBetween(shape(minutes, zone), at(first) - 1, at(last)).map(({ to }) => to);
      const naive: number[] = [];
      for (let time = at(first); time <= at(last); time += MINUTE) {
        const [now = '', before = ''] = [time, time - MINUTE].map((each) => shown(each, zone));
        const minuteOf = (text: string) => Number(text.slice(11, 13)) * 60 + Number(text.slice(14));
        const between = (at(`${now.replace(' ', 'T')}Z`) - at(`${before.replace(' ', 'T')}Z`)) / MINUTE;
        let isSkipped = false;
        for (let skipped = 1; skipped < between; skipped++)
          if ((minuteOf(before) + skipped) % step === 0) isSkipped = true;
        if (minuteOf(now) % step === 0 || isSkipped) naive.push(time);
      }
      expect(ends.map(iso)).toEqual(naive.map(iso));
    }
  });

  it.each(['Europe/Berlin', 'America/Havana', 'Africa/Cairo', 'Pacific/Apia'])(
    'of whole days in %s begin where the one before ended, once a day',
    (zone) => {
      const windows = windowsBetween(shape(1440, zone, true), at('2026-01-01T12:00Z'), at('2027-01-01T12:00Z'));
      expect(windows).toHaveLength(365);
      for (const [number, { from }] of windows.entries()) expect(from).toBe(windows[number - 1]?.to ?? from);
    },
  );

  it('of a week have an hour less where clocks go forward', () => {
    const [week] = windowsBetween(shape(10_080, 'Europe/Berlin'), at('2026-03-29T22:00Z') - 1, at('2026-03-29T22:00Z'));
    expect(week && (week.to - week.from) / MINUTE).toBe(10_080 - 60);
  });
});

describe('the same windows of the last four weeks', () => {
  it('end at the same time of the clock', () => {
    const window = { from: at('2026-11-03T09:00Z'), to: at('2026-11-03T10:00Z') };
    const windows = usualWindows(shape(60, 'Europe/Berlin'), window);
    expect(windows.map(({ from, to }) => [iso(from), shown(to, 'Europe/Berlin')])).toEqual([
      ['2026-10-27T09:00', '2026-10-27 11:00'],
      ['2026-10-20T08:00', '2026-10-20 11:00'],
      ['2026-10-13T08:00', '2026-10-13 11:00'],
      ['2026-10-06T08:00', '2026-10-06 11:00'],
    ]);
  });
});
