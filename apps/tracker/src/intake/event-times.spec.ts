import { contextOf, NOW } from '@test/tracker/intake-context-of';
import { separateEqualTimes } from './steps';

/** The times of items that were sent by these visitors at these times, as ms after now. */
function separated(sent: readonly { visitor?: string | null; session?: string; at?: number }[]): readonly number[] {
  const context = contextOf(
    sent.map(({ at }) => ({ name: 'a', timestamp: at === undefined ? undefined : NOW + at })),
    { sentAt: NOW },
  );
  context.items.forEach((item, n) => {
    item.visitorId = sent[n]?.visitor === undefined ? 'v' : sent[n].visitor;
    item.sessionId = sent[n]?.session ?? null;
  });
  separateEqualTimes(context);
  return context.items.map(({ at }) => at - NOW);
}

describe('equal times of one request', () => {
  it('are moved apart in the order of the list, also behind the arrival', () => {
    expect(separated([{}, {}, {}])).toEqual([0, 1, 2]);
    expect(separated([{ at: -9 }, { at: -9 }, { at: -8 }, { at: -9 }])).toEqual([-9, -8, -7, -6]);
    expect(separated(Array(100).fill({})).at(-1)).toBe(99);
  });

  it('stay as they were sent where they differ, backwards too', () =>
    expect(separated([{ at: -1 }, { at: -7 }, { at: -3 }])).toEqual([-1, -7, -3]));

  it('of different visitors stay equal, also those of events without visitor and session', () => {
    const people = Array.from({ length: 100 }, (_, n) => ({ visitor: `v${n}`, at: n - 100 })).reverse();
    expect(separated(people)).toEqual(people.map(({ at }) => at));
    expect(separated([{ visitor: 'a' }, { visitor: 'b' }, { visitor: null }, { visitor: null }])).toEqual([0, 0, 0, 0]);
  });

  it('of a session without visitor are moved apart', () => {
    const [one, other] = ['s', 't'].map((session) => ({ visitor: null, session }));
    expect(separated([one!, other!, one!])).toEqual([0, 0, 1]);
  });
});

describe('the clock of a page load', () => {
  const MINUTE = 60_000;

  /** Returns what is taken off the times, by how far the page's clock is ahead, and what an earlier answer named. */
  const aheadOf = (ahead: number, named: number | null, happened = 0) => {
    const context = contextOf([{ name: 'a', timestamp: NOW + ahead + happened }], {
      sentAt: NOW + ahead,
      clockAhead: named,
    });
    return [context.clockAhead, ...context.items.map(({ at }) => at - NOW)];
  };

  it('is right where it differs by less than a minute, and a time up to a minute ahead stays', () => {
    expect(aheadOf(MINUTE - 1, null)).toEqual([0, MINUTE - 1]);
    expect(aheadOf(1 - MINUTE, null, -5_000)).toEqual([0, -MINUTE - 4_999]);
  });

  it('is corrected by all of the difference where that is a minute', () => {
    expect(aheadOf(MINUTE, null)).toEqual([MINUTE, 0]);
    expect(aheadOf(-10 * MINUTE, null, -5_000)).toEqual([-10 * MINUTE, -5_000]);
  });

  it('keeps the difference that an answer named, however long requests are on their way', () =>
    expect(aheadOf(-10 * MINUTE, -10 * MINUTE - 15_000)).toEqual([-10 * MINUTE - 15_000, 15_000]));

  it('has another difference after the device slept', () => {
    expect(aheadOf(-20 * MINUTE, 0)).toEqual([-20 * MINUTE, 0]);
    expect(aheadOf(-20 * MINUTE - 3, -20 * MINUTE)).toEqual([-20 * MINUTE, -3]);
  });

  it('never places an event more than a minute ahead', () => {
    expect(aheadOf(0, null, 3 * MINUTE)).toEqual([3 * MINUTE, 0]);
    expect(aheadOf(0, -MINUTE, 1)).toEqual([0, 1]);
  });
});
