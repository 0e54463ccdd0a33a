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

  describe('with a key', () => {
    it.each([
      [NOW + HOUR, true],
      [NOW + HOUR + 1, false],
      [NOW - 7 * DAY - 1, true],
      [Date.UTC(2000, 0, 1), true],
      [Date.UTC(2000, 0, 1) - 1, false],
    ])('keeps the time %d: %s', (timestamp, isTaken) => {
      const { items } = contextOf({ name: 'a', timestamp }, { caller: KEY, sentAt: NOW - HOUR });
      expect(items.map(({ at }) => at)).toEqual(isTaken ? [timestamp] : []);
    });
  });

  describe('of a browser', () => {
    const timesOf = (timestamps: readonly (number | string | undefined)[], sentAt: number | null = null) =>
      contextOf(
        timestamps.map((timestamp) => ({ name: 'a', timestamp })),
        { sentAt },
      ).items.map(({ at }) => at);

    it.each([2 * HOUR, 30 * DAY, -8 * DAY, -2 * HOUR, -NOW])(
      'places events as long ago as its clock, %d ms ahead, says',
      (ahead) => {
        const times = [NOW - 5_000, NOW - 90_000, NOW].map((at) => at + ahead);
        expect(timesOf(times, NOW + ahead)).toEqual([NOW - 5_000, NOW - 90_000, NOW]);
      },
    );

    it('places them later in the past the longer the request waited', () =>
      expect(timesOf([NOW + 2 * HOUR], NOW + 2 * HOUR + 40_000)).toEqual([NOW - 40_000]));

    it('places none in the future, and keeps their order', () =>
      expect(timesOf([NOW + HOUR, NOW + HOUR - 10], NOW)).toEqual([NOW, NOW - 10]));

    it.each([
      ['a future', [NOW + 2 * HOUR - 3_000, NOW + 2 * HOUR], [NOW - 3_000, NOW]],
      ['a far future', [NOW + 30 * DAY], [NOW]],
      ['a small future', [NOW + 1], [NOW]],
      ['too old a', [NOW - 8 * DAY, NOW - 8 * DAY - 7], [NOW, NOW - 7]],
      ['a possible', [NOW - 7 * DAY, NOW - HOUR], [NOW - 7 * DAY, NOW - HOUR]],
      ['no', [undefined], [NOW]],
    ])('without a time of sending, %s time is placed by the newest', (_, given, placed) =>
      expect(timesOf(given)).toEqual(placed),
    );

    it('refuses what is more than 7 days older than the rest', () => {
      const { items, refused } = contextOf(
        [NOW + DAY, NOW - 6 * DAY - 1].map((timestamp) => ({ name: 'a', timestamp })),
      );
      expect(items.map(({ at }) => at)).toEqual([NOW]);
      expect(refused).toMatchObject([{ index: 1, errors: [{ field: 'timestamp' }] }]);
    });
  });

  it.each(['2026-02-30T00:00:00Z', '2026-13-01', '2026-03-10T25:00:00Z', '2026-03-10T24:00Z', 'March 3, 2026', 9e15])(
    'refuses the time %p, which does not exist, whoever sends it',
    (timestamp) => {
      for (const caller of [null, KEY]) {
        const { items, refused } = contextOf({ name: 'a', timestamp }, { caller });
        expect(items).toEqual([]);
        expect(refused).toMatchObject([{ errors: [{ field: 'timestamp' }] }]);
      }
    },
  );
});
