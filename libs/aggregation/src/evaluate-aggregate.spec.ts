import fc from 'fast-check';
import { known } from '@ledgerline/contracts/aggregates/aggregate';
import {
  rowsOfTable,
  selectedSessions,
  seriesBetween,
  someRequest,
  tableOf,
  type SomeSession,
} from '@test/query/selected-sessions';
import { aggregate, join, leftJoin, type CountPlan } from './plan';
import { BUCKET } from './scope';

const rowsOfCount = (plan: CountPlan, sessions: readonly SomeSession[], given = {}) =>
  rowsOfTable(tableOf(plan, { sessions: selectedSessions(sessions), request: someRequest(given) }));

const path = fc.constantFrom(0, 1, 2, 5_000_000);
const visit = fc.record({ path, time_ms: fc.integer({ min: -1, max: 9 }) });
const someSession = fc.record({
  visitor: fc.integer({ min: -1, max: 3 }),
  isSingle: fc.boolean(),
  fields: fc.record({ country: fc.integer({ min: 0, max: 2 }) }),
  units: fc.record({ visits: fc.array(visit, { maxLength: 4 }) }),
});

const MEASURES = {
  count: 'count',
  visitors: 'visitors',
  sessions: 'sessions',
  different: { different: ['time_ms', 'visits_of_pages'] },
  known: { filter: [known('time_ms'), 'count'] },
  sum: { filter: [known('time_ms'), { sum: 'time_ms' }] },
  median: { percentile: ['time_ms', 50] },
  p95: { percentile: ['time_ms', 95] },
  least: { least: 'time_ms' },
  greatest: { greatest: 'time_ms' },
} as const;

it('groups of units have the figures of their units', () => {
  fc.assert(
    fc.property(fc.array(someSession, { maxLength: 20 }), (sessions) => {
      const by = { value: 'path', country: 'country' };
      const units = sessions.flatMap((session, place) =>
        session.units.visits.map((own) => ({ ...own, session, place })),
      );
      const keyOf = ({ path: value, session }: (typeof units)[number]) =>
        JSON.stringify([value, session.fields.country]);
      const expected = [...new Set(units.map(keyOf))].map((key) => {
        const own = units.filter((unit) => keyOf(unit) === key);
        const times = own.map(({ time_ms }) => time_ms).sort((a, b) => a - b);
        const [value = 0, country = 0] = JSON.parse(key) as number[];
        const knownTimes = times.filter((time) => time >= 0);
        return {
          value,
          country,
          count: own.length,
          visitors: new Set(own.map(({ session }) => session.visitor).filter((visitor) => visitor >= 0)).size,
          sessions: new Set(own.filter(({ session }) => !session.isSingle).map(({ place }) => place)).size,
          different: new Set(knownTimes).size,
          known: knownTimes.length,
          sum: knownTimes.reduce((added, time) => added + time, 0),
          median: times[Math.floor((times.length - 1) / 2)],
          p95: times[Math.ceil(0.95 * times.length) - 1],
          least: times[0],
          greatest: times.at(-1),
        };
      });
      const rows = rowsOfCount(aggregate({ of: 'visits', by, measures: MEASURES }), sessions);
      const inOrder = (some: readonly object[]) => some.map((row) => JSON.stringify(row)).sort();
      expect(inOrder(rows)).toEqual(inOrder(expected));
    }),
    { seed: 20_261_123 },
  );
});

const view = (at: number, some = 1, more = {}) => ({ at, path: some, ...more });
const SESSIONS_OF_A_DAY: readonly SomeSession[] = [
  {
    visitor: 0,
    isCounted: true,
    fields: { country: 7, duration_ms: 20_000, flags: 1 },
    units: { views: [view(10, 1), view(20, 2), view(30, 1)], custom_events: [view(50, 1, { isOut: 1 })] },
  },
  { visitor: 1, fields: { country: 8 }, units: { views: [view(5, 3, { isOut: 1 }), view(25, 3)] } },
  { isSingle: true, units: { views: [view(12, 4)] } },
  {
    visitor: 0,
    isCounted: true,
    fields: { country: 7 },
    units: { views: [view(41, 2, { isUnselected: 1 }), view(42, 9)] },
  },
];

describe('a count', () => {
  it('of what sessions have is the same by session as by unit', () => {
    const measures = { pageviews: 'count', visitors: 'visitors', sessions: 'sessions' } as const;
    const by = { value: 'country' };
    const expected = [
      { value: 7, pageviews: 4, visitors: 1, sessions: 2 },
      { value: 8, pageviews: 1, visitors: 1, sessions: 1 },
    ];
    expect(rowsOfCount(aggregate({ of: 'views', by, where: 'inSession', measures }), SESSIONS_OF_A_DAY)).toEqual(
      expected,
    );
    const eachUnit = { ...measures, first: { least: 'at' } } as const;
    const found = rowsOfCount(
      aggregate({ of: 'views', by, where: 'inSession', measures: eachUnit }),
      SESSIONS_OF_A_DAY,
    );
    expect(found).toMatchObject(expected);
  });

  it('has one row without keys, also of nothing', () =>
    expect(
      rowsOfCount(aggregate({ of: 'views', measures: { pageviews: 'count', least: { least: 'at' } } }), []),
    ).toEqual([{ pageviews: 0, least: null }]));

  it('leaves groups of less out', () => {
    const count = aggregate({
      of: 'views',
      by: { value: 'path' },
      measures: { pageviews: 'count' },
      enough: 'pageviews',
    });
    expect(rowsOfCount(count, SESSIONS_OF_A_DAY, { minSamples: 2 })).toEqual([{ value: 1, pageviews: 2 }]);
  });

  it('of sessions has the figures of the whole session', () => {
    const by = {
      entry: 'entry_path',
      exit: 'exit_path',
      at: 'at',
      range: { range: ['duration_ms', [0, 1]] },
    } as const;
    const measures = { sessions: 'count', events: { sum: 'events' }, bounces: { sum: 'bounced' } } as const;
    expect(rowsOfCount(aggregate({ of: 'counted_sessions', by, measures }), SESSIONS_OF_A_DAY)).toEqual([
      { entry: 1, exit: 1, at: 10, range: 2, sessions: 1, events: 4, bounces: 1 },
      { entry: 2, exit: 9, at: 41, range: 1, sessions: 1, events: 2, bounces: 0 },
    ]);
  });

  it('of steps goes from one page view of a counted session to the next, one of which is selected', () => {
    const by = { from: 'from_path', to: 'to_path' };
    expect(rowsOfCount(aggregate({ of: 'steps', by, measures: { steps: 'count' } }), SESSIONS_OF_A_DAY)).toEqual([
      { from: 1, to: 2, steps: 1 },
      { from: 2, to: 1, steps: 1 },
      { from: 2, to: 9, steps: 1 },
    ]);
  });

  it('by bucket leaves out what lies in none, and is joined with another', () => {
    const given = { from: 10, to: 40, series: seriesBetween(10, 20, 40) };
    const views = aggregate({ of: 'views', by: { bucket: BUCKET }, measures: { pageviews: 'count' } });
    const entered = aggregate({ of: 'counted_sessions', by: { bucket: BUCKET }, measures: { sessions: 'count' } });
    expect(rowsOfCount(join(['bucket'], entered, views), SESSIONS_OF_A_DAY, given)).toEqual([
      { bucket: 1, sessions: 1, pageviews: 2 },
      { bucket: 2, sessions: null, pageviews: 3 },
    ]);
    expect(rowsOfCount(leftJoin(['bucket'], entered, views), SESSIONS_OF_A_DAY, given)).toHaveLength(1);
  });
});
