import { isConditionField, windowMs, wrongInValue } from './definition-rules';

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

describe('a value of a filter', () => {
  it.each([
    ['link_kind', 'eq', 'download'],
    ['link_kind', 'starts_with', 'down'],
    ['link_kind', 'glob', 'd*'],
    ['metric_name', 'not_in', ['LCP', 'CLS']],
    ['metric_value', 'in', ['0.25', '1e3']],
    ['metric_value', 'contains', '.'],
    ['path', 'eq', 'nope'],
  ] as const)('some event may have: %s %s %j', (field, op, value) =>
    expect(wrongInValue({ field, op, value })).toBeUndefined(),
  );

  it.each([
    ['link_kind', 'eq', 'nope', 'must be one of link, download'],
    ['link_kind', 'ne', 'Link', 'must be one of link, download'],
    ['link_kind', 'in', ['link', 'file'], 'must be one of link, download'],
    ['link_kind', 'not_contains', 'x', 'must fit one of link, download'],
    ['metric_name', 'glob', 'l*', 'must fit one of LCP, FCP, CLS, INP, TTFB, FPS'],
    ['metric_value', 'eq', 'slow', 'must be a number'],
  ] as const)('no event can have: %s %s %j', (field, op, value, message) =>
    expect(wrongInValue({ field, op, value })).toBe(message),
  );
});

describe('a window', () => {
  it('is a whole number of minutes, hours or days of 24 hours', () =>
    expect(['30m', '12h', '7d'].map((text) => windowMs(text))).toEqual([1_800_000, 43_200_000, 604_800_000]));

  it.each(['', '0d', '01d', '7', 'd', '1.5h', '-1d', '7w', '7d ', '3661d', '99999999m'])('is not %j', (text) =>
    expect(windowMs(text)).toBeUndefined(),
  );

  it('has a limit', () =>
    expect(['90d', '2160h', '91d'].map((text) => windowMs(text, 90) !== undefined)).toEqual([true, true, false]));
});
