import type { Arrival } from '../traffic/arrivals';
import { trafficOf } from './traffic';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-26T14:03:20Z');
const RANGE = { seed: 1, visitors: 6_000, days: 60, apiKey: 'svc_x' };

describe('the traffic of npm run simulate', () => {
  it('is sixty days up to a minute ago, of every kind', () => {
    const times = people.map(({ hit }) => hit.at);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(NOW - 60 * DAY_MS);
    expect(Math.min(...times)).toBeLessThan(NOW - 59 * DAY_MS);
    expect(Math.max(...times)).toBeLessThanOrEqual(NOW);
    expect(NOW - Math.max(...times)).toBeLessThan(10 * 60_000);
    for (const [from, until] of [
      [60, 30],
      [30, 0],
    ] as const)
      expect(kindsOf(within(from, until))).toEqual(KINDS);
  });

  it('has only visits that a run of a later day has too, and those that came since', () => {
    const later = idsOf(trafficOf(RANGE, NOW + 3 * DAY_MS));
    const common = idsOf(trafficOf(RANGE, NOW), NOW - 57 * DAY_MS);
    const before = later.filter(({ at }) => at <= NOW);
    const known = new Set(common.map(({ id }) => id));
    expect(before.length).toBeGreaterThan(common.length * 0.9);
    expect(before.filter(({ id }) => !known.has(id))).toEqual([]);
    expect(later.length).toBeGreaterThan(before.length);
  });

  it('grows, rests at weekends and at night, and has people who come again', () => {
    const growth = visitsIn(within(30, 0)) / visitsIn(within(60, 30));
    expect(growth).toBeGreaterThan(1.1);
    expect(growth).toBeLessThan(1.5);
    const on = (isIt: (date: Date) => boolean) => visitsIn(people.filter(({ hit }) => isIt(new Date(hit.at))));
    expect(on((date) => date.getUTCDay() === 0)).toBeLessThan(on((date) => date.getUTCDay() === 3) * 0.75);
    expect(on((date) => date.getUTCHours() < 6)).toBeLessThan(on((date) => date.getUTCHours() >= 18));
    const visitors = new Set(people.map(({ visit }) => visit.person.key)).size;
    expect(visitors).toBeGreaterThan(RANGE.visitors * 0.9);
    expect(visitors).toBeLessThan(RANGE.visitors * 1.25);
    expect(visitsIn(people) / visitors).toBeGreaterThan(1.2);
  });

  it('has as many single page views that are over within ten seconds as websites have', () => {
    const visits = [...new Set(people.map(({ visit }) => visit))];
    const bounces = visits.filter(
      ({ hits }) =>
        hits.filter(({ kind }) => kind === 'view').length === 1 &&
        !hits.some((hit) => hit.kind === 'custom' || (hit.kind === 'leave' && hit.seconds >= 10)),
    );
    expect(bounces.length / visits.length).toBeGreaterThan(0.25);
    expect(bounces.length / visits.length).toBeLessThan(0.5);
  });

  it('is of a week without a key', () => {
    const times = [...trafficOf({ ...RANGE, apiKey: undefined }, NOW)].flat().map(({ hit }) => hit.at);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(NOW - 7 * DAY_MS + 3_600_000);
  });
});

const KINDS = ['click', 'custom', 'engagement', 'error', 'leave', 'outgoing', 'server', 'view', 'vital'];
const people = [...trafficOf(RANGE, NOW)].flat().filter(({ visit }) => visit.bot === null);

const within = (from: number, until: number): Arrival[] =>
  people.filter(({ hit }) => hit.at > NOW - from * DAY_MS && hit.at <= NOW - until * DAY_MS);
const kindsOf = (arrivals: readonly Arrival[]) => [...new Set(arrivals.map(({ hit }) => hit.kind))].sort();
const visitsIn = (arrivals: readonly Arrival[]) => new Set(arrivals.map(({ visit }) => visit.key)).size;

const idsOf = (hours: Iterable<readonly Arrival[]>, since = 0) =>
  [...hours]
    .flat()
    .filter(({ visit, hit }) => visit.bot === null && hit.at >= since)
    .map(({ visit, hit }) => ({ id: `${visit.key}-${hit.place} ${hit.at}`, at: hit.at }));
