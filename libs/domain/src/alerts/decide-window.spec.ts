import {
  AT_THE_BEGINNING,
  type AlertProgress,
  type AlertRule,
  type WindowFigures,
  decideWindow,
  releaseHeld,
  usualFigure,
} from './decide-window';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-03T00:00Z');

const rule = (details: Partial<AlertRule>): AlertRule => ({
  compare: 'above',
  threshold: 10,
  percent: null,
  direction: null,
  minimum: null,
  quietHours: null,
  pauseMinutes: 0,
  ...details,
});

type Figure = number | null | { readonly figure: number | null; readonly usual?: number[]; readonly why?: 'behind' };

/** What is told of hourly windows that end at 00:00, 01:00 and so on: outcome, and the hours of the window and of telling. */
function told(of: AlertRule, figures: readonly Figure[], zone = 'UTC') {
  let progress: AlertProgress = AT_THE_BEGINNING;
  return figures.flatMap((each, hour) => {
    const known = typeof each === 'object' && each !== null ? each : { figure: each };
    const to = START + hour * HOUR;
    const window: WindowFigures = { usual: [], ...known, from: to - HOUR, to };
    const decided = decideWindow(of, zone, progress, window);
    progress = decided.progress;
    return decided.told.map((one) => [one.outcome, (one.to - START) / HOUR, (one.toldAt - START) / HOUR]);
  });
}

describe('a window', () => {
  it('tells the beginning once, and the end once', () => {
    expect(told(rule({}), [10, 11, 12, 11, 10, 9])).toEqual([
      ['fired', 1, 1],
      ['over', 4, 4],
    ]);
    expect(told(rule({ compare: 'below' }), [10, 9, 10])).toEqual([
      ['fired', 1, 1],
      ['over', 2, 2],
    ]);
    expect(told(rule({ compare: 'silence' }), [1, 0, 0, 1])).toEqual([
      ['fired', 1, 1],
      ['over', 3, 3],
    ]);
  });

  it('without a figure decides nothing', () => {
    expect(told(rule({ compare: 'silence' }), [null, 1, null])).toEqual([]);
    expect(told(rule({}), [11, null, 11])).toEqual([['fired', 0, 0]]);
  });

  it('is compared with the median of the last weeks, and decides nothing with fewer than two', () => {
    const changed = (percent: number, direction: AlertRule['direction'], figure: number, usual: number[]) =>
      told(rule({ compare: 'changed', percent, direction }), [{ figure, usual }]).length;
    expect(changed(50, 'down', 49, [100, 90, 1000, 100])).toBe(1);
    expect(changed(50, 'down', 50, [100, 90, 1000, 100])).toBe(0);
    expect(changed(50, 'up', 151, [100, 100])).toBe(1);
    expect(changed(50, 'up', 49, [100, 100])).toBe(0);
    expect(changed(50, 'both', 49, [100, 100])).toBe(1);
    expect(changed(50, 'both', 1, [0, 0])).toBe(1);
    expect(changed(50, 'both', 0, [0, 0])).toBe(0);
    expect(changed(50, 'both', 1, [100])).toBe(0);
    expect([usualFigure([3, 1]), usualFigure([5, 1, 3]), usualFigure([8, 1, 3, 5]), usualFigure([1])]).toEqual([
      2,
      3,
      4,
      null,
    ]);
  });

  it('tells nothing below the minimum, of changes where the usual figure is below it as well', () => {
    expect(told(rule({ minimum: 20 }), [11, 20])).toEqual([['fired', 1, 1]]);
    const changed = rule({ compare: 'changed', percent: 50, direction: 'both', minimum: 20 });
    expect(told(changed, [{ figure: 19, usual: [1, 1] }])).toEqual([]);
    expect(told(changed, [{ figure: 1, usual: [20, 20] }])).toEqual([['fired', 0, 0]]);
  });

  it('in a pause tells no beginning, and so no end', () => {
    expect(told(rule({ pauseMinutes: 180 }), [11, 9, 11, 9, 11, 9])).toEqual([
      ['fired', 0, 0],
      ['over', 1, 1],
      ['fired', 4, 4],
      ['over', 5, 5],
    ]);
  });

  it('that is blind says so once, and when it sees again', () => {
    const blind = { figure: 0, why: 'behind' } as const;
    expect(told(rule({ compare: 'silence' }), [1, blind, blind, 1])).toEqual([
      ['blind', 1, 1],
      ['seeing', 3, 3],
    ]);
    expect(told(rule({}), [11, blind, 9])).toEqual([
      ['fired', 0, 0],
      ['blind', 1, 1],
      ['seeing', 2, 2],
      ['over', 2, 2],
    ]);
  });
});

describe('quiet hours', () => {
  const quiet = rule({ quietHours: { from: '22:00', to: '06:30' } });

  it('hold back, and tell at their end if it is still so', () => {
    expect(told(quiet, [9, 11, 11, 11, 11, 11, 11, 11])).toEqual([['fired', 6, 6.5]]);
    expect(told(quiet, [9, 11, 11, 11, 11, 11, 9, 11])).toEqual([['fired', 7, 7]]);
    expect(told(quiet, [9, 11, 9, 9, 9, 9, 9, 9])).toEqual([]);
  });

  it('hold back an end', () => {
    const day = Array.from({ length: 32 }, (_, hour) => (hour >= 20 && hour < 25 ? 11 : 9));
    expect(told(quiet, day)).toEqual([
      ['fired', 20, 20],
      ['over', 30, 30.5],
    ]);
  });

  it('are of the clock of the website', () => {
    expect(told(rule({ quietHours: { from: '01:00', to: '03:00' } }), [11, 11, 11], 'Europe/Berlin')).toEqual([
      ['fired', 2, 2],
    ]);
  });

  it('end for windows of which all end within them', () => {
    const window = { from: START - 24 * HOUR, to: START, figure: 11, usual: [] };
    const { progress, told: atOnce } = decideWindow(quiet, 'UTC', AT_THE_BEGINNING, window);
    expect(atOnce).toEqual([]);
    expect(releaseHeld(quiet, progress, START + 6 * HOUR).told).toEqual([]);
    const released = releaseHeld(quiet, progress, START + 6.5 * HOUR);
    expect(released.told).toMatchObject([{ outcome: 'fired', to: START, toldAt: START + 6.5 * HOUR }]);
    expect(released.progress).toMatchObject({ firingSince: START, held: null });
  });
});
