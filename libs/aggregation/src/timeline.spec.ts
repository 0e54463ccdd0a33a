import { selectedSessions, someRequest, type SomeSession } from '@test/query/selected-sessions';
import { tieKey, timelineOf, type TieOrder, type TimelineOf } from './timeline';

const VISITS: readonly SomeSession[] = [
  { visitor: 7, fields: { visitor: 7, first_at: 1 }, units: { views: [at(1), at(4)], custom_events: [at(4), at(9)] } },
  { visitor: 7, fields: { visitor: 7, first_at: 2 }, units: { views: [at(2), at(9)] } },
  { visitor: -1, fields: { visitor: -1, first_at: 3 }, units: { views: [at(3)] } },
];

describe('a timeline', () => {
  it('of a visitor needs the order of events of one time', () =>
    expect(timeline('visitor')).toEqual([
      { visitor: 7, at: 4 },
      { visitor: 7, at: 9 },
    ]));

  it('has the events of each visitor in order', () =>
    expect(eventsOf(timeline('visitor', ORDER))).toEqual([
      ['views 1', 'views 2', 'custom_events 4', 'views 4', 'views 9', 'custom_events 9'],
    ]));

  it('has those of each session, also of one without visitor', () =>
    expect(eventsOf(timeline('session', ORDER))).toEqual([
      ['views 1', 'custom_events 4', 'views 4', 'custom_events 9'],
      ['views 2', 'views 9'],
      ['views 3'],
    ]));
});

function at(time: number) {
  return { at: time };
}

const ORDER: TieOrder = new Map([
  [tieKey(7, 1, 0, 4, 'custom_events'), [0]],
  [tieKey(7, 1, 0, 4, 'views'), [1]],
  [tieKey(7, 2, 0, 9, 'views'), [2]],
  [tieKey(7, 1, 0, 9, 'custom_events'), [3]],
]);

function timeline(of: TimelineOf, order?: TieOrder) {
  const sessions = selectedSessions(VISITS);
  const wanted = (['views', 'custom_events'] as const).map((unit) => ({
    unit,
    isWanted: new Uint8Array(sessions.unit(unit).size).fill(1),
  }));
  return timelineOf({ sessions, request: someRequest(), lookup: [], order }, of, wanted);
}

function eventsOf(found: ReturnType<typeof timeline>): string[][] {
  if (!('starts' in found)) throw new Error('The order of some events is not known.');
  const { starts, units, kinds, times } = found;
  return Array.from(starts.subarray(0, -1), (start, nth) =>
    Array.from(times.subarray(start, starts[nth + 1]), (time, place) => `${units[kinds[start + place]!]} ${time}`),
  ).filter((events) => events.length > 0);
}
