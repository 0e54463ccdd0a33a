import { arrivals } from './arrivals';
import type { Plan } from './calendar';
import { observe, type Subjects } from './observe';
import { HITS_PER_VISIT } from './visit';

describe('the traffic model', () => {
  it('is the same for the same seed, and another for another', () => {
    const first = [...arrivals(plan)].flat();
    expect([...arrivals(plan)].flat()).toEqual(first);
    expect([...arrivals({ ...plan, seed: 2 })].flat()).not.toEqual(first);
  });

  it('has all its visitors, its visits and about as many hits as it says', () => {
    const all = [...arrivals(plan)].flat();
    const people = new Set(all.map(({ visit }) => visit.person.number));
    expect(people.size).toBeGreaterThan(plan.visitors * 0.98); // some visits lie beyond the end or are those of bots
    expect(new Set(all.map(({ visit }) => visit.number)).size).toBeLessThanOrEqual(plan.visits);
    expect(all.length / plan.visits).toBeGreaterThan(HITS_PER_VISIT * 0.95);
    expect(all.length / plan.visits).toBeLessThan(HITS_PER_VISIT * 1.05);
  });

  it('arrives in order, within its range, partly late', () => {
    const all = [...arrivals(plan)].flat().map(({ hit }) => hit);
    expect(all.every(({ at }) => at <= plan.end && at > plan.end - 15 * 86_400_000)).toBe(true);
    const late = all.filter(({ at, arrives }) => arrives - at > 3_600_000).length;
    expect(late / all.length).toBeGreaterThan(0.005);
    expect(late / all.length).toBeLessThan(0.02);
    const hours = all.map(({ arrives }) => Math.min(arrives, plan.end));
    expect(hours).toEqual([...hours].sort((a, b) => a - b));
  });

  it('has the share of today that is wanted, up to its end', () => {
    const end = Date.parse('2026-03-30T05:30:00Z');
    const all = [...arrivals({ ...plan, end, today: 0.1 })].flat().map(({ hit }) => hit.at);
    expect(all.filter((at) => at >= Date.parse('2026-03-30')).length / all.length).toBeCloseTo(0.1, 1);
    expect(Math.max(...all)).toBeGreaterThan(end - 60_000);
  });

  it('becomes events with ids of their own', () => {
    const events = [...arrivals(plan)].flat().map((arrival) => observe(arrival, subjects));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect([...new Set(events.map(({ type }) => type))].sort()).toEqual(TYPES);
  });
});

const plan: Plan = { seed: 1, end: Date.parse('2026-03-30T00:00:00Z'), days: 14, visitors: 2000, visits: 6000 };

const subjects: Subjects = {
  organizationId: 'org_1',
  websiteId: 'site_1',
  domain: 'example.com',
  zone: 'UTC',
  identity: 'stable',
  linkId: 'link_1',
};

const TYPES = [
  'CustomEventTracked',
  'EngagementMeasured',
  'ErrorRecorded',
  'HitJudgedBot',
  'LinkClicked',
  'OutgoingLinkClicked',
  'PageLeft',
  'PageViewed',
  'VitalMeasured',
];
