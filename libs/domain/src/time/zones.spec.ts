import { addDays, dayOf, hourLabel, hourOf, isZone, offsetAt, startOfDay } from './zones';

const at = (iso: string) => Date.parse(iso);
const iso = (ms: number) => new Date(ms).toISOString();

describe('zones', () => {
  it('knows names from nonsense', () => {
    expect(isZone('Europe/Berlin')).toBe(true);
    expect(isZone('Europe/Atlantis')).toBe(false);
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

  it('takes a repeated hour for one hour', () => {
    const first = at('2026-10-25T00:20:00Z');
    const second = at('2026-10-25T01:20:00Z');
    expect(hourLabel(first, 'Europe/Berlin')).toBe('2026-10-25 02:00:00');
    expect(hourLabel(second, 'Europe/Berlin')).toBe('2026-10-25 02:00:00');
    expect(iso(hourOf(second, 'Europe/Berlin'))).toBe('2026-10-25T00:00:00.000Z');
    expect(iso(hourOf(at('2026-01-01T00:20:00Z'), 'Asia/Kathmandu'))).toBe('2026-01-01T00:15:00.000Z');
  });

  it('counts days across months', () => expect(addDays('2024-02-28', 2)).toBe('2024-03-01'));
});
