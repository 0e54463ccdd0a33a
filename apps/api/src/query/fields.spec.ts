import { count, list, orNull, percent, secondsOf, shareOf, text, timestamp, valueOf } from './fields';

describe('the value of a field', () => {
  it('is that of the column', () => {
    expect([valueOf(text, 'a'), valueOf(count, 3), valueOf(percent, 1.5)]).toEqual(['a', 3, 1.5]);
    expect(valueOf(timestamp, new Date(0))).toBe('1970-01-01T00:00:00.000Z');
    expect(valueOf(list, [1])).toEqual([1]);
  });

  it('that is missing is empty, or null where the field allows it', () => {
    expect([text, count, timestamp, list].map((field) => valueOf(field, null))).toEqual(['', 0, null, []]);
    expect([orNull(text), orNull(count)].map((field) => valueOf(field, undefined))).toEqual([null, null]);
  });

  it('is a share in percent of the sum over all rows', () =>
    expect([shareOf({ visitors: 1, whole: 3 }, 'visitors'), shareOf({}, 'visitors')]).toEqual([33.33, 0]));

  it('is in seconds to the microsecond', () =>
    expect([secondsOf(1234.5678), secondsOf(null)]).toEqual([1.234568, null]));
});
