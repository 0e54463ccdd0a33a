import fc from 'fast-check';
import { parseInstant } from './instant';

describe('a time as text', () => {
  it.each([
    ['2026-03-10T12:00:00Z', '2026-03-10T12:00:00.000Z'],
    ['2026-03-10T12:00Z', '2026-03-10T12:00:00.000Z'],
    ['2026-03-10T12:00:00.123456+05:45', '2026-03-10T06:15:00.123Z'],
    ['2026-03-10 12:00:00,5 -0330', '2026-03-10T15:30:00.500Z'],
    ['2026-03-10t12:00:00z', '2026-03-10T12:00:00.000Z'],
    ['2026-03-10T12:00:00', '2026-03-10T12:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, time) => expect(new Date(parseInstant(text)!).toISOString()).toBe(time));

  it.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29',
    '2026-04-31T00:00Z',
    '2026-13-01',
    '2026-00-10T00:00:00Z',
    '2026-03-10T24:00:00Z',
    '2026-03-10T25:00:00Z',
    '2026-03-10T12:60:00Z',
    '2026-03-10T12:00:60Z',
    '2026-03-10T12:00:00+24:00',
    '2026-03-10T12:00:00+01:60',
    '2026-03-10T12',
    '2026-03-10T12:00:00 Z x',
    '9999-12-31T23:59:00-01:00',
    '0000-01-01T00:00:00+01:00',
    '10 March 2026',
    '',
  ])('%p is none', (text) => expect(parseInstant(text)).toBeUndefined());

  it('is read as JavaScript writes it', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseInstant(date.toISOString())).toBe(date.getTime());
        },
      ),
    );
  });
});
