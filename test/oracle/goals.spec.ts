import fc from 'fast-check';
import type { FunnelDefinition } from '@ledgerline/contracts/definitions';
import { addDays } from '@ledgerline/domain/time/zones';
import type { ParameterOptions } from '../../apps/api/src/query/declaration/options';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { sealDays } from '../query/seal-days';
import { asTheyArrive, arrival } from './arrival';
import { request, RUNS, SEED } from './asked-requests';
import { checkDefinitions, definitionsAsked, sceneOf, type Random, type Scene } from './check-definitions';
import type { NaiveJourneys } from './naive-journey-answers';
import { percent } from './naive-request';
import type { Row } from './naive-website-answers';
import { breakdown, condition, funnelDefinition, goal } from './random-definitions';
import { websiteFilters } from './random-requests';
import { traffic, type Traffic } from './random-traffic';

jest.setTimeout(3_600_000);

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

/** Projects the traffic, of which some days are sealed. */
async function projected(some: Traffic, arriving: Random<typeof arrival>) {
  const id = `site_${++subjects}`;
  const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
  await database.send(id, asTheyArrive(events, arriving), arriving.batch, arriving.dedupe);
  await sealDays(database.pool, id, (day) => (day + arriving.batch) % 2 === 0);
  return { id, events, zone: some.zone, start: some.start };
}

const lawsAsked = fc.record({
  goal,
  by: breakdown,
  funnel: funnelDefinition,
  second: condition,
  longer: fc.record({ before: fc.nat(9), after: fc.nat(9) }),
});
type LawsAsked = Random<typeof lawsAsked>;

/** A rate is a part of the visitors, views are the goal of all pages, and the parts of a goal sum to it. */
async function checkLawsOfGoals({ rowsOf }: Scene, { goal: one, by }: LawsAsked) {
  const only = async (name: string, options: ParameterOptions) => (await rowsOf(name, options))[0] ?? {};
  const { pageviews, unique_visitors } = await only('summary_metrics', {});
  const views = await only('goals', { goals: [{ id: null, name: 'Views', condition: { kind: 'page' } }] });
  expect([views['conversions'], views['visitors']]).toEqual([pageviews, unique_visitors]);
  expect(views['conversion_rate']).toBe(unique_visitors === 0 ? 0 : 100);
  const asked = { id: null, ...one };
  const { conversions, visitors, conversion_rate: rate, revenue } = await only('goals', { goals: [asked] });
  const converted = Math.round((Number(rate) * Number(unique_visitors)) / 100);
  expect(rate).toBe(percent(converted, Number(unique_visitors)));
  expect(converted).toBeLessThanOrEqual(Math.min(Number(visitors), Number(unique_visitors)));
  const parts = await rowsOf('goal_by', { goal: asked, by });
  expect(sumOf(parts, 'conversions')).toBe(conversions);
  const amounts = parts.flatMap((row) => row['revenue'] as Row[]);
  for (const { currency, ...figures } of revenue as Row[]) {
    const own = amounts.filter((each) => each['currency'] === currency);
    for (const [name, figure] of Object.entries(figures)) expect(sumOf(own, name)).toBeCloseTo(Number(figure), 6);
  }
  const named = new Set((revenue as Row[]).map(({ currency }) => currency));
  expect(amounts.every(({ currency }) => named.has(currency))).toBe(true);
}

/** Steps never grow, and never shrink by a longer window or range; the first one is its goal, and blocks sum to the funnel. */
async function checkLawsOfFunnels({ naive, rowsOf }: Scene, { funnel, by, second, longer }: LawsAsked) {
  const reachedOf = async (definition: FunnelDefinition, changes = {}) =>
    (await rowsOf('funnel', { funnel: definition }, changes)).map(({ reached }) => Number(reached));
  const [first] = funnel.steps;
  const ordered = await reachedOf({ steps: [first!, { condition: second }], window: '30m' });
  const [of] = await rowsOf('goals', { goals: [{ id: null, name: 'First', condition: first!.condition }] });
  expect(ordered[0]).toBe(of!['visitors']);
  const { startDate, endDate } = naive;
  const { before, after } = longer;
  const range = {
    from: undefined,
    to: undefined,
    startDate: addDays(startDate, -before),
    endDate: addDays(endDate, after),
  };
  const steps = await reachedOf({ ...funnel, window: '30m' });
  const others = [await reachedOf({ ...funnel, window: '9d' }), await reachedOf({ ...funnel, window: '30m' }, range)];
  for (const [nth, reached] of steps.entries()) {
    expect(reached).toBeLessThanOrEqual(steps[nth - 1] ?? Infinity);
    for (const other of others) expect(other[nth]).toBeGreaterThanOrEqual(reached);
  }
  const whole = await rowsOf('funnel', { funnel });
  const blocks = await rowsOf('funnel', { funnel, by });
  for (const { step, reached, dropped } of whole) {
    const same = blocks.filter((row) => row['step'] === step);
    expect([sumOf(same, 'reached'), sumOf(same, 'dropped')]).toEqual([reached, dropped]);
  }
}

/** Branches and what ended sum to their node. */
async function checkLawsOfJourneys({ rowsOf }: Scene, asked: NaiveJourneys) {
  const rows = (await rowsOf('journeys', asked)) as { path: string[]; sessions: number; ended: number }[];
  for (const { path, sessions, ended } of rows) {
    if (path.length === asked.steps || path.at(-1) === 'Other') continue;
    const next = rows.filter(
      (row) => row.path.length === path.length + 1 && path.every((name, at) => row.path[at] === name),
    );
    expect(sumOf(next, 'sessions') + ended).toBe(sessions);
  }
}

const sumOf = (rows: readonly Row[], name: string) => rows.reduce((sum, row) => sum + Number(row[name]), 0);

/** All are asked about one website, as its traffic takes longest to project. */
const all = fc.record({ definitions: definitionsAsked, laws: lawsAsked });

it(`goals, funnels, retention, journeys and segments equal the oracle's (seed ${SEED}, ${8 * RUNS} runs)`, () =>
  fc.assert(
    fc.asyncProperty(
      ...([traffic, arrival, request, websiteFilters, all] as const),
      async (some, arriving, random, filters, { definitions, laws }) => {
        const scene = sceneOf(database.pool, await projected(some, arriving), random, filters);
        await checkDefinitions(scene, definitions);
        await checkLawsOfGoals(scene, laws);
        await checkLawsOfFunnels(scene, laws);
        await checkLawsOfJourneys(scene, definitions.journeys);
      },
    ),
    { seed: SEED, numRuns: 8 * RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
  ));
