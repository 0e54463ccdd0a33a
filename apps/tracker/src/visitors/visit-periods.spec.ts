import fc from 'fast-check';
import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import { offsetAt } from '@ledgerline/domain/time/zones';
import { HitsPerVisitor, VisitPeriods } from './visit-periods';

const MINUTE = 60_000;

interface Given {
  readonly zone: string;
  readonly identity: VisitorIdentity;
  readonly who: string;
  /** The arrival of all hits; each arrives when it happens if none is given. */
  readonly arrival: string;
}

describe('a visit', () => {
  let periods: VisitPeriods;
  beforeEach(() => (periods = new VisitPeriods()));

  /** Names of the periods whose salts make the ids of these hits of one visitor. */
  const namesAt = (
    times: readonly string[],
    { zone = 'UTC', identity = 'daily', who = 'ada', arrival = '' }: Partial<Given> = {},
  ) =>
    times.map((time) => {
      const at = Date.parse(`${time}Z`);
      const now = arrival === '' ? at : Date.parse(`${arrival}Z`);
      return periods.periodOf({ at, zone, identity }, now, ({ name }) => `${who} of ${name}`).name;
    });

  it('keeps the day it began on for as long as it goes on, and then takes the present one', () => {
    const times = ['11-26T23:50', '11-27T00:10', '11-27T00:40', '11-27T01:10', '11-27T01:41', '11-27T01:50'];
    expect(namesAt(times.map((time) => `2026-${time}`))).toEqual([
      '2026-11-26',
      '2026-11-26',
      '2026-11-26',
      '2026-11-26',
      '2026-11-27',
      '2026-11-27',
    ]);
  });

  it('is another one after more than 30 minutes, or of another visitor', () => {
    expect(namesAt(['2026-11-26T23:45', '2026-11-27T00:15'])).toEqual(['2026-11-26', '2026-11-26']);
    expect(namesAt(['2026-11-27T23:45', '2026-11-28T00:16'])).toEqual(['2026-11-27', '2026-11-28']);
    expect(namesAt(['2026-11-26T23:59'])).toEqual(['2026-11-26']);
    expect(namesAt(['2026-11-27T00:01'], { who: 'bob' })).toEqual(['2026-11-27']);
  });

  it.each([
    ['America/Los_Angeles', '2026-11-26T07:50', '2026-11-26T08:10', '2026-11-25'],
    ['Asia/Kolkata', '2026-11-25T18:20', '2026-11-25T18:40', '2026-11-25'],
    ['America/Santiago', '2026-09-06T03:50', '2026-09-06T04:10', '2026-09-05'], // clocks go from 24:00 to 01:00
    ['America/Santiago', '2026-04-05T03:50', '2026-04-05T04:10', '2026-04-04'], // from 24:00 back to 23:00
    ['Australia/Lord_Howe', '2026-11-25T12:50', '2026-11-25T13:10', '2026-11-25'],
  ])('goes on over midnight in %s', (zone, before, after, day) =>
    expect(namesAt([before, after], { zone })).toEqual([day, day]),
  );

  it('goes on over the end of a month where ids are monthly, and has one salt where they are stable', () => {
    const times = ['2026-11-30T23:50', '2026-12-01T00:10', '2026-12-01T00:50'];
    expect(namesAt(times, { identity: 'monthly' })).toEqual(['2026-11', '2026-11', '2026-12']);
    expect(namesAt(times, { identity: 'stable' })).toEqual(['stable', 'stable', 'stable']);
  });

  it('takes hits that arrive out of order', () => {
    const times = ['2026-11-26T23:50', '2026-11-27T00:10', '2026-11-26T23:58', '2026-11-27T00:05', '2026-11-27T00:39'];
    expect(new Set(namesAt(times, { arrival: '2026-11-27T00:40' }))).toEqual(new Set(['2026-11-26']));
  });

  it('ends when its salt is destroyed, however often it is heard of', () => {
    const start = Date.parse('2026-11-26T23:50:00Z');
    const times = Array.from({ length: 49 * 3 }, (_, n) =>
      new Date(start + n * 20 * MINUTE).toISOString().slice(0, 16),
    );
    const names = namesAt(times);
    expect(names.lastIndexOf('2026-11-26')).toBe(times.indexOf('2026-11-28T23:50'));
    expect(names.at(-1)).toBe('2026-11-29');
  });

  it('is forgotten 30 minutes after its last hit arrived', () => {
    namesAt(['2026-11-26T23:50']);
    periods.dropEnded(Date.parse('2026-11-27T00:20:00Z'));
    expect(namesAt(['2026-11-27T00:10'])).toEqual(['2026-11-26']);
    for (const who of ['bob', 'cy']) namesAt(['2026-11-26T23:59'], { who });
    periods.dropEnded(Date.parse('2026-11-27T00:40:01Z'));
    for (const who of ['ada', 'bob', 'cy']) expect(namesAt(['2026-11-27T00:29'], { who })).toEqual(['2026-11-27']);
    namesAt(['2026-11-27T23:50']);
    expect(namesAt(['2026-11-28T00:10'], { arrival: '2026-11-28T00:21' })).toEqual(['2026-11-28']);
  });

  it('is one of so many that are held, those that were seen last', () => {
    periods = new VisitPeriods(2);
    for (const who of ['ada', 'bob', 'ada', 'cy']) namesAt(['2026-11-26T23:50'], { who });
    const days = ['ada', 'bob', 'cy'].map((who) => namesAt(['2026-11-27T00:10'], { who })[0]);
    expect(days).toEqual(['2026-11-26', '2026-11-27', '2026-11-26']);
  });

  it('has the ids of one day, whatever its hits, as a loop over all of them says', () => {
    const zone = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kathmandu', 'America/Santiago', 'Pacific/Chatham');
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 150 });
    const start = fc.integer({ min: Date.parse('2026-01-01') / MINUTE, max: Date.parse('2027-01-01') / MINUTE });
    fc.assert(
      fc.property(zone, start, gaps, (place, begin, steps) => {
        const visits = new VisitPeriods();
        let at = begin * MINUTE;
        let day = '';
        let before = -Infinity;
        for (const step of steps) {
          at += step * MINUTE;
          const own = new Date(at + offsetAt(at, place)).toISOString().slice(0, 10);
          const lives = Date.parse(`${day}T00:00Z`) + 3 * 24 * 60 * MINUTE > at;
          if (day === '' || at - before > 30 * MINUTE || !lives) day = own;
          const time = { at, zone: place, identity: 'daily' as const };
          expect(visits.periodOf(time, at, ({ name }) => name).name).toBe(day);
          before = at;
        }
      }),
    );
  });
});

const NOON = Date.parse('2026-03-10T12:00:00Z');
const DAY_MS = 86_400_000;

describe('the hits that may have a visitor’s id', () => {
  const quiet = () => undefined;

  it('are so many a UTC day, for each visitor of each website', () => {
    const hits = new HitsPerVisitor(2, quiet);
    const may = (name: string, site = 'site_1', at = NOON) => hits.take(name, site, at);
    expect([may('a'), may('a'), may('a'), may('a')]).toEqual([true, true, false, false]);
    expect([may('b'), may('a', 'site_2')]).toEqual([true, true]);
    expect([may('a', 'site_1', NOON + DAY_MS / 2 - 1), may('a', 'site_1', NOON + DAY_MS / 2)]).toEqual([false, true]);
  });

  it('are reported when they end, once and without the id', () => {
    const reported = jest.fn();
    const hits = new HitsPerVisitor(1, reported);
    for (let hit = 0; hit < 5; hit++) hits.take('a', 'site_1', NOON);
    expect(reported.mock.calls).toEqual([['site_1']]);
  });

  it('are reported of no more than once a day, also where counts shrink in between', () => {
    const reported = jest.fn();
    const hits = new HitsPerVisitor(2, reported, 2);
    const bear = (name: string, at = NOON) => hits.take(name, 'site_1', at);
    for (let round = 0; round < 10; round++) {
      for (const name of ['a', 'b']) for (let hit = 0; hit < 3; hit++) bear(name);
      bear(`made up ${round}`);
    }
    expect(reported).toHaveBeenCalledTimes(2);
    for (let hit = 0; hit < 3; hit++) bear('a', NOON + DAY_MS);
    expect(reported).toHaveBeenCalledTimes(3);
  });

  it('stay counted while thousands of others come and go, and few lose their name too early for it', () => {
    const hits = new HitsPerVisitor(50, quiet, 100);
    let borne = 0;
    for (let hit = 0; hit < 5_000; hit++) {
      if (hit % 10 === 0) borne += Number(hits.take('constant', 'site_1', NOON));
      else expect(hits.take(`made up ${hit}`, 'site_1', NOON)).toBe(true);
    }
    expect(borne).toBeGreaterThanOrEqual(50);
    expect(borne).toBeLessThanOrEqual(50 + 5_000 / 100);
  });
});
