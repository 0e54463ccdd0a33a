import { readLogTime } from './log-time';

const AT = Date.parse('2026-03-01T10:00:05.250Z');

describe('the time of a line', () => {
  it.each([
    1772359205.25,
    1772359205250,
    1772359205250000,
    '1772359205.250',
    '1772359205250',
    '2026-03-01T10:00:05.250Z',
    '2026-03-01T11:00:05.250+01:00',
    '2026-03-01T10:00:05.250123456Z',
    '2026-03-01T10:00:05.250+0000',
    '2026-03-01 10:00:05.250',
    '2026/03/01 10:00:05.250',
    '01/Mar/2026:10:00:05.250 +0000',
    '01/Mar/2026:02:30:05.250 -0730',
  ])('is read: %j', (time) => expect(readLogTime(time)).toBe(AT));

  it.each([
    undefined,
    '',
    '-',
    '10:00:05',
    '2026-03-01',
    'undefinedTundefinedZ',
    '31/Feb/2026:10:00:05 +0000',
    '01/Foo/2026:10:00:05 +0000',
    Infinity,
    NaN,
    -1e300,
    '9'.repeat(400),
  ])('is not %j', (time) => expect(readLogTime(time)).toBeUndefined());
});
