import { isConditionField, windowMs } from './definition-rules';

describe('a field of a condition', () => {
  it('is one of its kind, and of custom events also a property with a name', () => {
    expect(isConditionField('page', 'path')).toBe(true);
    expect(isConditionField('page', 'name')).toBe(false);
    expect(isConditionField('event', 'property:plan')).toBe(true);
    expect(isConditionField('event', 'property:')).toBe(false);
    expect(isConditionField('page', 'property:plan')).toBe(false);
    expect(isConditionField('event', 'toString')).toBe(false);
  });
});

describe('a window', () => {
  it('is a whole number of minutes, hours or days of 24 hours', () =>
    expect(['30m', '12h', '7d'].map(windowMs)).toEqual([1_800_000, 43_200_000, 604_800_000]));

  it.each(['', '0d', '01d', '7', 'd', '1.5h', '-1d', '7w', '7d ', '3661d', '99999999m'])('is not %j', (text) =>
    expect(windowMs(text)).toBeUndefined(),
  );
});
