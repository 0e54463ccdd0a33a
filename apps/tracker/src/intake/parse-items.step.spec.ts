import { contextOf, KEY, NOW } from '@test/tracker/intake-context-of';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('reading the items', () => {
  it('takes one object or a list, and puts bad ones aside', () => {
    expect(contextOf({ name: 'a' }).items).toHaveLength(1);
    const { items, refused } = contextOf([{ name: 'a' }, 7, { name: 'b', eventId: 'e' }, { eventId: 'f' }]);
    expect(items.map(({ index, at }) => [index, at])).toEqual([
      [0, NOW],
      [2, NOW],
    ]);
    expect(refused.map(({ index, eventId }) => [index, eventId])).toEqual([
      [1, null],
      [3, 'f'],
    ]);
  });

  it('refuses too many', () => expect(() => contextOf(Array(101).fill({ name: 'a' }))).toThrow('more than 100 items'));

  it.each([
    [NOW + HOUR, false, true],
    [NOW + HOUR + 1, false, false],
    [NOW - 7 * DAY, false, true],
    [NOW - 7 * DAY - 1, false, false],
    [NOW - 7 * DAY - 1, true, true],
    [Date.UTC(2000, 0, 1), true, true],
    [Date.UTC(2000, 0, 1) - 1, true, false],
  ])('at %d, with a key: %s, takes it: %s', (timestamp, withKey, taken) =>
    expect(contextOf({ name: 'a', timestamp }, { caller: withKey ? KEY : null }).items).toHaveLength(taken ? 1 : 0),
  );
});
