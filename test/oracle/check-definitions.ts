import fc from 'fast-check';
import type { Pool } from 'pg';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { minSamplesOf } from '../../apps/api/src/query/declaration/fields';
import type { ParameterOptions } from '../../apps/api/src/query/declaration/options';
import { CATALOGUE, queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { finding, type TypeRequest } from '../query/answer-type';
import { naiveRequest, type RandomRequest } from './asked-requests';
import { firstDifference } from './compare';
import { expectedAboutWebsite } from './expected-rows';
import { segmentIn } from './naive-conditions';
import { naiveFunnel, naiveFunnelByDay, naiveFunnelVisitors } from './naive-funnel-answers';
import { naiveGoalBy, naiveGoals, naiveGoalsByDay, naiveRevenue, type NaiveGoal } from './naive-goal-answers';
import { naiveJourneys } from './naive-journey-answers';
import { naiveLinkConversions } from './naive-link-conversions';
import type { NaiveFilter } from './naive-request';
import { naiveRetention } from './naive-retention-answers';
import { withClicks } from './naive-selection';
import type { Row } from './naive-website-answers';
import { breakdown, deeds, funnelDefinition, goal, journeyOptions, retention } from './random-definitions';
import { websiteFilters } from './random-requests';
import type { Traffic } from './random-traffic';

export type Random<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

/** A website that has some events, and what is asked about it. */
interface AskedWebsite extends Pick<Traffic, 'zone' | 'start'> {
  readonly id: string;
  readonly events: readonly WebsiteObservedEvent[];
}

/** Questions about a website, and what the oracle answers of its events. */
export function sceneOf(
  pool: Pool,
  { id, zone, start, events }: AskedWebsite,
  random: RandomRequest,
  filters: readonly NaiveFilter[],
) {
  const naive = naiveRequest(random, start, zone, filters);
  const find = (options: ParameterOptions, changes: Partial<TypeRequest> = {}) =>
    finding(pool, { about: 'website', id, ownZone: zone, ...naive, options, ...changes });
  const rowsOf = async (name: string, options: ParameterOptions, changes?: Partial<TypeRequest>) =>
    (await (await find(options, changes))(queryTypeNamed(name)!)).rows as Row[];
  const check = async (name: string, options: ParameterOptions, expected: Row[]) => {
    const difference = firstDifference(await rowsOf(name, options), expected);
    if (difference) throw new Error(`${name} ${JSON.stringify(options)} for ${JSON.stringify(naive)}: ${difference}`);
  };
  return { zone, events: withClicks(events), naive, find, rowsOf, check };
}

export type Scene = ReturnType<typeof sceneOf>;

const linksAsked = fc.record(
  {
    each: goal,
    window: fc.constantFrom('30m', '2d', '60d'),
    model: fc.constantFrom('first' as const, 'last' as const, 'linear' as const, 'position' as const),
  },
  { requiredKeys: ['each'] },
);

/** The questions about definitions. */
export const definitionsAsked = fc.record({
  goals: fc.record({ goals: fc.array(goal, { minLength: 1, maxLength: 3 }), by: breakdown }),
  funnel: fc.record({ funnel: funnelDefinition, by: breakdown }),
  retention,
  journeys: journeyOptions,
  links: linksAsked,
  segment: fc.record({ did: deeds, own: websiteFilters, each: goal, funnel: funnelDefinition }),
});
type Asked = Random<typeof definitionsAsked>;

/** Goals, funnels, retention, journeys and segments equal the oracle's. */
export async function checkDefinitions(scene: Scene, asked: Asked): Promise<void> {
  const { events, naive, check, zone } = scene;
  await checkGoals(scene, asked.goals);
  await checkFunnels(scene, asked.funnel);
  await check('retention', asked.retention, naiveRetention(events, naive, asked.retention, zone));
  await check('journeys', asked.journeys, naiveJourneys(events, naive, asked.journeys));
  await checkLinks(scene, asked.links);
  await checkSegments(scene, asked.segment);
}

const named = (goals: readonly NaiveGoal[]) => goals.map((each) => ({ id: null, ...each }));

async function checkGoals({ events, naive, check }: Scene, { goals, by }: Asked['goals']) {
  const asked = named(goals);
  await check('goals', { goals: asked }, naiveGoals(events, naive, goals));
  await check('goals_by_day', { goals: asked }, naiveGoalsByDay(events, naive, goals));
  for (const [nth, each] of goals.entries()) {
    const options = { goal: asked[nth]! };
    await check('goal_by', { ...options, by }, naiveGoalBy(events, naive, each, by));
    if (each.value) await check('revenue', options, naiveRevenue(events, naive, each));
  }
}

async function checkFunnels({ events, naive, check, rowsOf }: Scene, { funnel, by }: Asked['funnel']) {
  await check('funnel', { funnel }, naiveFunnel(events, naive, funnel));
  await check('funnel', { funnel, by }, naiveFunnel(events, naive, funnel, by));
  await check('funnel_by_day', { funnel }, naiveFunnelByDay(events, naive, funnel));
  for (const asked of [funnel, { ...funnel, steps: [ANY_PAGE, ANY_PAGE] }])
    for (const [step, state] of [1, asked.steps.length].flatMap((each) =>
      STATES.map((state) => [each, state] as const),
    )) {
      const found = await rowsOf('funnel_visitors', { funnel: asked, step, state });
      const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort();
      expect(sorted(found)).toEqual(sorted(naiveFunnelVisitors(events, naive, asked, { step, state })));
    }
}

/** A step that many meet, as few complete a random funnel. */
const ANY_PAGE = { condition: { kind: 'page' } } as const;
const STATES = ['reached', 'dropped'] as const;

async function checkLinks({ events, naive, check, rowsOf }: Scene, { each, ...asked }: Asked['links']) {
  const options = { goal: { id: null, ...each }, ...asked };
  await check('link_conversions', options, naiveLinkConversions(events, naive, each, asked));
  const shared = await rowsOf('link_conversions', options);
  const [own] = await rowsOf('goals', { goals: [{ id: null, ...each }] });
  const millionths = shared.reduce((sum, { conversions }) => sum + Math.round(Number(conversions) * 1e6), 0);
  expect(millionths).toBe(Number(own?.['conversions']) * 1e6);
}

async function checkSegments({ events, naive, find: ask }: Scene, { did, own, each, funnel }: Asked['segment']) {
  const options = { goal: { id: null, ...each }, goals: [{ id: null, ...each }], by: 'country', funnel };
  const find = await ask(options, { segment: { filters: own, did } });
  const filters = [...naive.filters, ...own];
  const inSegment = { ...naive, filters, isInSegment: segmentIn(events, naive, { did }) };
  const expected: Record<string, Row[] | undefined> = {
    goals: naiveGoals(events, inSegment, [each]),
    funnel: naiveFunnel(events, inSegment, funnel, 'country'),
  };
  for (const type of SEGMENTED) expected[type] = expectedAboutWebsite(type, inSegment, events);
  for (const [name, rows] of Object.entries(expected)) {
    const difference = firstDifference((await find(queryTypeNamed(name)!)).rows, rows!);
    if (difference)
      throw new Error(`${name} ${JSON.stringify({ did, own })} for ${JSON.stringify(naive)}: ${difference}`);
  }
}

/** The types that count, and do not list single things. */
const SEGMENTED = CATALOGUE.filter(
  (type) =>
    type.about === 'website' &&
    type.takes.options.length === 0 &&
    type.counting &&
    !type.sources.facts &&
    !minSamplesOf(type) &&
    !type.range,
).map(({ name }) => name);
