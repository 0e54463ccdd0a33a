import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf } from '../time/zones';
import { splitByWindow, windowOf } from './local-session';
import { sessionOf } from './session';

describe('the days of a session', () => {
  it('span a window, also where the last one is earlier than the first', () => {
    const window = { since: day('2010-03-04'), until: day('2010-03-05') };
    const [back, other] = [viewedAt(AFTER_MIDNIGHT, SET_BACK), viewedAt('2010-03-03T06:00')];
    expect(windowOf([back], CASEY)).toEqual(window);
    expect(windowOf([back, viewedAt('2010-03-04T16:10')], CASEY)).toEqual(window);
    const fourth = { since: day('2010-03-04'), until: day('2010-03-04') };
    expect(splitByWindow([back, other], CASEY, fourth).near.map(({ session }) => session)).toEqual([back]);
  });
});

/** There, at 02:00 on 5 March 2010 (15:00 UTC on the 4th), it became 23:00 on the 4th. */
const CASEY = calendarOf('Antarctica/Casey');
const [AFTER_MIDNIGHT, SET_BACK] = ['2010-03-04T13:10', '2010-03-04T15:10'];

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
