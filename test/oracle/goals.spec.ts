import fc from 'fast-check';
import type { ParameterOptions } from '../../apps/api/src/query/options';
import { CATALOGUE, queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { finding } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { sealDays } from '../query/seal-days';
import { asTheyArrive, arrival } from './arrival';
import { naiveRequest, request, RUNS, SEED } from './asked-requests';
import { firstDifference } from './compare';
import { expectedAboutWebsite } from './expected-rows';
import { segmentIn } from './naive-conditions';
import { naiveFunnel, naiveFunnelByDay, naiveFunnelVisitors } from './naive-funnel-answers';
import { naiveGoalBy, naiveGoals, naiveGoalsByDay, naiveRevenue, type NaiveGoal } from './naive-goal-answers';
import { naiveJourneys } from './naive-journey-answers';
import { naiveLinkConversions } from './naive-link-conversions';
import { naiveRetention } from './naive-retention-answers';
import { withClicks } from './naive-selection';
import type { Row } from './naive-website-answers';
import { breakdown, condition, deeds, funnelDefinition, goal, journeyOptions, retention } from './random-definitions';
import { websiteFilters } from './random-requests';
import { traffic, type Traffic } from './random-traffic';

jest.setTimeout(3_600_000);

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

type Random<Of> = Of extends fc.Arbitrary<infer Value> ? Value : never;

/** Asks about the traffic, of which some days are sealed. */
async function answering(
  some: Traffic,
  arriving: Random<typeof arrival>,
  random: Random<typeof request>,
  filters: Random<typeof websiteFilters>,
) {
  const id = `site_${++subjects}`;
  const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
  await database.send(id, asTheyArrive(events, arriving), arriving.batch, arriving.dedupe);
  await sealDays(database.pool, id, (day) => (day + arriving.batch) % 2 === 0);
  const naive = naiveRequest(random, some.start, some.zone, filters);
  const rowsOf = async (name: string, options: ParameterOptions) => {
    const find = await finding(database.pool, { about: 'website', id, ownZone: some.zone, ...naive, options });
    return (await find(queryTypeNamed(name)!)).rows as Row[];
  };
  const check = async (name: string, options: ParameterOptions, expected: Row[]) => {
    const difference = firstDifference(await rowsOf(name, options), expected);
    if (difference) throw new Error(`${name} ${JSON.stringify(options)} for ${JSON.stringify(naive)}: ${difference}`);
  };
  return { id, zone: some.zone, events: withClicks(events), naive, rowsOf, check };
}

type Scene = Awaited<ReturnType<typeof answering>>;

const named = (goals: readonly NaiveGoal[]) => goals.map((each) => ({ id: null, ...each }));

const goalsAsked = fc.record({ goals: fc.array(goal, { minLength: 1, maxLength: 3 }), by: breakdown });
async function checkGoals({ events, naive, check }: Scene, { goals, by }: Random<typeof goalsAsked>) {
  const asked = named(goals);
  await check('goals', { goals: asked }, naiveGoals(events, naive, goals));
  await check('goals_by_day', { goals: asked }, naiveGoalsByDay(events, naive, goals));
  for (const [nth, each] of goals.entries()) {
    const options = { goal: asked[nth]! };
    await check('goal_by', { ...options, by }, naiveGoalBy(events, naive, each, by));
    if (each.value) await check('revenue', options, naiveRevenue(events, naive, each));
  }
}

const funnelAsked = fc.record({ funnel: funnelDefinition, by: breakdown });
async function checkFunnels({ events, naive, check, rowsOf }: Scene, { funnel, by }: Random<typeof funnelAsked>) {
  await check('funnel', { funnel }, naiveFunnel(events, naive, funnel));
  await check('funnel', { funnel, by }, naiveFunnel(events, naive, funnel, by));
  await check('funnel_by_day', { funnel }, naiveFunnelByDay(events, naive, funnel));
  for (const state of ['reached', 'dropped'] as const) {
    const found = await rowsOf('funnel_visitors', { funnel, step: 2, state });
    const sorted = (rows: Row[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(sorted(found)).toEqual(sorted(naiveFunnelVisitors(events, naive, funnel, { step: 2, state })));
  }
}

async function checkJourneys({ events, naive, check, rowsOf }: Scene, asked: Random<typeof journeyOptions>) {
  await check('journeys', asked, naiveJourneys(events, naive, asked));
  const rows = (await rowsOf('journeys', asked)) as { path: string[]; sessions: number; ended: number }[];
  for (const { path, sessions, ended } of rows) {
    if (path.length === asked.steps || path.at(-1) === 'Other') continue;
    const next = rows.filter(
      (row) => row.path.length === path.length + 1 && path.every((name, at) => row.path[at] === name),
    );
    expect(sumOf(next, 'sessions') + ended).toBe(sessions);
  }
}

const linksAsked = fc.record(
  {
    ...{ each: goal, window: fc.constantFrom('30m', '2d', '60d') },
    model: fc.constantFrom('first' as const, 'last' as const, 'linear' as const, 'position' as const),
  },
  { requiredKeys: ['each'] },
);
async function checkLinks({ events, naive, check, rowsOf }: Scene, { each, ...asked }: Random<typeof linksAsked>) {
  const options = { goal: { id: null, ...each }, ...asked };
  await check('link_conversions', options, naiveLinkConversions(events, naive, each, asked));
  const shared = await rowsOf('link_conversions', options);
  const [own] = await rowsOf('goals', { goals: [{ id: null, ...each }] });
  const millionths = shared.reduce((sum, { conversions }) => sum + Math.round(Number(conversions) * 1e6), 0);
  expect(millionths).toBe(Number(own?.['conversions']) * 1e6);
}

const segmentAsked = fc.record({ did: deeds, own: websiteFilters, each: goal, funnel: funnelDefinition });
async function checkSegments(
  { id, events, naive, zone }: Scene,
  { did, own, each, funnel }: Random<typeof segmentAsked>,
) {
  const about = { about: 'website' as const, id, ownZone: zone, ...naive };
  const options = { goal: { id: null, ...each }, goals: [{ id: null, ...each }], by: 'country', funnel };
  const find = await finding(database.pool, { ...about, segment: { filters: own, did }, options });
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

const lawsAsked = fc.record({ first: condition, second: condition, by: breakdown });
async function checkLaws({ rowsOf }: Scene, { first, second, by }: Random<typeof lawsAsked>) {
  const only = async (name: string, options: ParameterOptions) => (await rowsOf(name, options))[0] ?? {};
  const summary = await only('summary_metrics', {});
  const goalOf = (of: typeof first) => ({ id: null, name: 'G', condition: of });
  const views = await only('goals', { goals: [goalOf({ kind: 'page' })] });
  expect([views['conversions'], views['visitors']]).toEqual([summary['pageviews'], summary['unique_visitors']]);
  const own = await only('goals', { goals: [goalOf(first)] });
  expect(own['conversion_rate']).toBeLessThanOrEqual(100);
  const parts = await rowsOf('goal_by', { goal: goalOf(first), by });
  expect(sumOf(parts, 'conversions')).toBe(own['conversions']);
  const funnel = (window: string) => ({ steps: [{ condition: first }, { condition: second }], window });
  const [short, long] = [
    await rowsOf('funnel', { funnel: funnel('30m') }),
    await rowsOf('funnel', { funnel: funnel('9d') }),
  ];
  expect(short[0]!['reached']).toBe(own['visitors']);
  for (const [nth, row] of short.entries()) {
    expect(row['reached']).toBeLessThanOrEqual(Number(short[nth - 1]?.['reached'] ?? Infinity));
    expect(long[nth]!['reached']).toBeGreaterThanOrEqual(Number(row['reached']));
  }
  const blocks = await rowsOf('funnel', { funnel: funnel('9d'), by });
  for (const row of long) {
    const same = blocks.filter(({ step }) => step === row['step']);
    expect([sumOf(same, 'reached'), sumOf(same, 'dropped')]).toEqual([row['reached'], row['dropped']]);
  }
}

/** All are asked about one website, as its traffic takes longest to project. */
const all = fc.record({
  goals: goalsAsked,
  funnel: funnelAsked,
  retention,
  journeys: journeyOptions,
  links: linksAsked,
  segment: segmentAsked,
  laws: lawsAsked,
});

it(`goals, funnels, retention, journeys and segments equal the oracle's (seed ${SEED}, ${8 * RUNS} runs)`, () =>
  fc.assert(
    fc.asyncProperty(
      ...([traffic, arrival, request, websiteFilters, all] as const),
      async (some, arriving, random, filters, asked) => {
        const scene = await answering(some, arriving, random, filters);
        const { events, naive, check } = scene;
        await checkGoals(scene, asked.goals);
        await checkFunnels(scene, asked.funnel);
        await check('retention', asked.retention, naiveRetention(events, naive, asked.retention, some.zone));
        await checkJourneys(scene, asked.journeys);
        await checkLinks(scene, asked.links);
        await checkSegments(scene, asked.segment);
        await checkLaws(scene, asked.laws);
      },
    ),
    { seed: SEED, numRuns: 8 * RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
  ));

/** Those that count, and do not list single things. */
const SEGMENTED = CATALOGUE.filter(
  ({ about, takes, sources, sessionColumns, minimum, isAboutNow }) =>
    about === 'website' && takes.length === 0 && sessionColumns && !sources.facts && !minimum && !isAboutNow,
).map(({ name }) => name);

const sumOf = (rows: readonly Row[], name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);
