import { calendarOf } from './calendar';

const at = (iso: string) => Date.parse(iso);
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
