import {
  addDays,
  dayOf,
  hourLabel,
  hourOf,
  isCalendarDay,
  isZone,
  offsetAt,
  startOfDay,
  supportedZone,
  calendarOf,
} from './zones';

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString();

/** The name with those letters in upper case whose bit is set. */
const inCase = (name: string, bits: number) =>
  name.replace(/[a-z]/gi, (letter, place: number) =>
    (bits >> (place % 9)) & 1 ? letter.toUpperCase() : letter.toLowerCase(),
  );

describe('zones', () => {
  it('knows names from nonsense', () => {
    expect(isZone('Europe/Berlin')).toBe(true);
    for (const name of ['Europe/Atlantis', '', '+01:00', 'Etc/Unknown', 'constructor', 'Europe/Berlin ']) {
      expect([name, isZone(name)]).toEqual([name, false]);
    }
  });

  it('have one canonical name each, whatever the runtime calls them', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const canonical = supportedZone(name) ?? '';
      expect([canonical, supportedZone(canonical)]).toEqual([expect.any(String), canonical]);
    }
    for (const name of ['UTC', 'Europe/Oslo', 'Europe/Berlin', 'Etc/GMT-14', 'Etc/GMT+12', 'SystemV/AST4'])
      expect(supportedZone(name)).toBe(name);
  });

  it.each([
    ['Asia/Calcutta', 'Asia/Kolkata'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
    ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['America/Godthab', 'America/Nuuk'],
    ['US/Pacific', 'America/Los_Angeles'],
    ['EST5EDT', 'America/New_York'],
    ['Etc/UTC', 'UTC'],
    ['GMT', 'UTC'],
  ])('that are called %s are %s, and have its clocks', (alias, canonical) => {
    expect(supportedZone(alias)).toBe(canonical);
    for (const time of ['1990-07-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-07-01T00:00:00Z'])
      expect(offsetAt(at(time), alias)).toBe(offsetAt(at(time), canonical));
  });

  it('have one spelling each, so that a name in any case opens no further format', () => {
    const formats = jest.spyOn(Intl, 'DateTimeFormat');
    const spelled = Array.from({ length: 300 }, (_, at) => inCase('America/Argentina/Buenos_Aires', at));
    expect(new Set(spelled.map(supportedZone))).toEqual(new Set(['America/Argentina/Buenos_Aires']));
    for (const name of spelled) expect(offsetAt(at('2026-01-01T00:00:00Z'), name)).toBe(-3 * 3_600_000);
    expect(formats.mock.calls.length).toBeLessThanOrEqual(1);
    formats.mockRestore();
  });

  it('knows offsets of :30 and :45', () => {
    expect(offsetAt(at('2026-01-01T00:00:00Z'), 'Asia/Kolkata')).toBe(5.5 * 3_600_000);
    expect(offsetAt(at('2026-01-01T00:00:00Z'), 'Asia/Kathmandu')).toBe(5.75 * 3_600_000);
  });

  it('puts an instant into its local day', () => {
    expect(dayOf(at('2026-03-29T22:30:00Z'), 'Europe/Berlin')).toBe('2026-03-30');
    expect(dayOf(at('2026-01-01T01:00:00Z'), 'America/New_York')).toBe('2025-12-31');
  });

  it('begins a day where its date begins, also where midnight does not exist', () => {
    expect(iso(startOfDay('2026-03-29', 'Europe/Berlin'))).toBe('2026-03-28T23:00:00.000Z');
    expect(iso(startOfDay('2018-11-04', 'America/Sao_Paulo'))).toBe('2018-11-04T03:00:00.000Z');
    expect(iso(startOfDay('2026-06-01', 'Pacific/Kiritimati'))).toBe('2026-05-31T10:00:00.000Z');
    expect(iso(startOfDay('2026-06-01', 'Pacific/Niue'))).toBe('2026-06-01T11:00:00.000Z');
  });

  it.each([
    ['Europe/Berlin', '2026-03-25'],
    ['Pacific/Apia', '2011-12-26'],
    ['America/Sao_Paulo', '2018-11-01'],
    ['Australia/Lord_Howe', '2026-04-01'],
    ['Africa/Monrovia', '1972-01-04'],
  ])('begins each day of %s at its first 15 minutes, whether clocks change near it or not', (zone, first) => {
    for (let count = 0; count < 9; count++) {
      const day = addDays(first, count);
      let start = at(`${day}T00:00:00Z`) - 20 * 3_600_000;
      while (dayOf(start, zone) < day) start += 900_000;
      expect([day, iso(startOfDay(day, zone))]).toEqual([day, iso(start)]);
    }
  });

  it('takes a repeated hour for one hour', () => {
    const first = at('2026-10-25T00:20:00Z');
    const second = at('2026-10-25T01:20:00Z');
    expect(hourLabel(first, 'Europe/Berlin')).toBe('2026-10-25 02:00:00');
    expect(hourLabel(second, 'Europe/Berlin')).toBe('2026-10-25 02:00:00');
    expect(iso(hourOf(second, 'Europe/Berlin'))).toBe('2026-10-25T00:00:00.000Z');
    expect(iso(hourOf(at('2026-01-01T00:20:00Z'), 'Asia/Kathmandu'))).toBe('2026-01-01T00:15:00.000Z');
  });

  it.each([
    ['2024-02-29', true],
    ['0001-01-01', true],
    ['9999-12-31', true],
    ['2026-02-29', false],
    ['2026-04-31', false],
    ['2026-13-01', false],
    ['2026-00-10', false],
    ['2026-1-1', false],
    ['2026-01-01T00:00:00Z', false],
    ['', false],
  ])('knows whether a day exists: %s', (text, exists) => expect(isCalendarDay(text)).toBe(exists));

  it('counts days across months', () => expect(addDays('2024-02-28', 2)).toBe('2024-03-01'));
});

const days = (date: string) => at(`${date}T00:00:00Z`) / 86_400_000;

describe('a calendar', () => {
  it('knows the local day as a number', () => {
    expect(calendarOf('Europe/Berlin').day(at('2026-03-29T22:30:00Z'))).toBe(days('2026-03-30'));
    expect(calendarOf('America/New_York').day(at('1969-12-31T12:00:00Z'))).toBe(-1);
  });

  it('is one per zone', () => {
    expect(calendarOf('UTC')).toBe(calendarOf('UTC'));
  });
});
