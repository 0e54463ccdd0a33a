import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf } from './calendar';
import { ALWAYS, splitByWindow, windowOf } from './local-session';
import { sessionOf } from './session';

describe('the days of a session', () => {
  it('hold its page views, and begin with the first one', () => {
    const session = viewedAt('2026-03-01T22:00', '2026-03-02T22:30', '2026-03-02T23:30');
    const [local] = splitByWindow([session], calendarOf('Europe/Berlin'), ALWAYS).near;
    expect(local?.enteredDay).toBe(day('2026-03-01'));
    expect(local?.viewDays).toEqual([
      { day: day('2026-03-01'), pageviews: 1 },
      { day: day('2026-03-02'), pageviews: 1 },
      { day: day('2026-03-03'), pageviews: 1 },
    ]);
  });

  it('are one each where clocks went back to the day before', () => {
    const session = viewedAt(BEFORE_MIDNIGHT, AFTER_MIDNIGHT, SET_BACK, '2010-11-07T03:05', '2010-11-07T03:31');
    expect(splitByWindow([session], ST_JOHNS, ALWAYS).near[0]?.viewDays).toEqual([
      { day: day('2010-11-06'), pageviews: 3 },
      { day: day('2010-11-07'), pageviews: 2 },
    ]);
  });

  it('span a window, also where the last one is earlier than the first', () => {
    const window = { since: day('2010-11-06'), until: day('2010-11-07') };
    const [back, other] = [viewedAt(AFTER_MIDNIGHT, SET_BACK), viewedAt('2010-11-05T12:00')];
    expect(windowOf([back], ST_JOHNS)).toEqual(window);
    expect(windowOf([back, viewedAt('2010-11-07T03:40')], ST_JOHNS)).toEqual(window);
    const sixth = { since: day('2010-11-06'), until: day('2010-11-06') };
    expect(splitByWindow([back, other], ST_JOHNS, sixth).near.map(({ session }) => session)).toEqual([back]);
  });
});

/** There, at 00:01 on 7 November 2010 (02:31 UTC), it became 23:01 on the 6th; we look at offsets by 15 minutes. */
const ST_JOHNS = calendarOf('America/St_Johns');
const [BEFORE_MIDNIGHT, AFTER_MIDNIGHT, SET_BACK] = ['2010-11-07T02:20', '2010-11-07T02:30', '2010-11-07T02:50'];

const day = (date: string) => Date.parse(`${date}T00:00:00Z`) / 86_400_000;

/** A session of page views at these minutes, UTC. */
const viewedAt = (...minutes: readonly string[]) =>
  sessionOf(
    'a',
    SESSION_KIND.client,
    minutes.map((minute, n) => {
      return { at: Date.parse(`${minute}Z`), id: String(n), kind: HIT.view, path: 1, text: 0, extra: 0 };
    }),
    undefined,
  );
