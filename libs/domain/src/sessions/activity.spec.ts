import fc from 'fast-check';
import { byDay } from './activity';
import { ALWAYS } from './local-session';

describe('the active days of a visitor', () => {
  it('each name the one before on the same value', () => {
    const activities = [active(1, 20), active(1, 10), active(2, 15), active(1, 20)];
    expect(byDay(activities, ALWAYS)).toEqual([
      { value: 1, day: 10, previousDay: -Infinity, pageviews: 1, sessions: 0 },
      { value: 1, day: 20, previousDay: 10, pageviews: 2, sessions: 0 },
      { value: 2, day: 15, previousDay: -Infinity, pageviews: 1, sessions: 0 },
    ]);
    expect(byDay([], ALWAYS)).toEqual([]);
  });

  it('give exact distinct counts of any range, from sums', () => {
    const visitors = fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1 }), { maxLength: 9 });
    const range = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }));
    const property = fc.property(visitors, range, (all, [a, b]) => {
      const inRange = (day: number) => day >= a && day <= b;
      const rows = all.flatMap((days) =>
        byDay(
          days.map((day) => active(1, day)),
          ALWAYS,
        ),
      );
      const summed = rows.filter(({ day, previousDay }) => inRange(day) && previousDay < a).length;
      expect(summed).toBe(all.filter((days) => days.some(inRange)).length);
    });
    fc.assert(property, { seed: 46 });
  });

  it('may be left out where nothing inside the window can change them', () => {
    const some = fc.array(fc.record({ value: fc.integer({ min: 1, max: 2 }), day: fc.integer({ min: 0, max: 12 }) }));
    const change = fc.array(fc.record({ value: fc.integer({ min: 1, max: 2 }), day: fc.integer({ min: 4, max: 6 }) }));
    const property = fc.property(some, change, (unchanged, changed) => {
      const before = unchanged.map(({ value, day }) => active(value, day));
      const after = [...before, ...changed.map(({ value, day }) => active(value, day))];
      const difference = (window: typeof ALWAYS) => {
        const old = new Set(byDay(before, window).map((row) => JSON.stringify(row)));
        const now = new Set(byDay(after, window).map((row) => JSON.stringify(row)));
        return [[...now].filter((row) => !old.has(row)), [...old].filter((row) => !now.has(row))];
      };
      expect(difference({ since: 4, until: 6 })).toEqual(difference(ALWAYS));
    });
    fc.assert(property, { seed: 47, numRuns: 300 });
  });
});

const active = (value: number, day: number) => ({ value, day, pageviews: 1, sessions: 0 });
