import fc from 'fast-check';
import { addDays, dayNumber } from '@ledgerline/domain/time/zones';
import { minSamplesOf } from '../../apps/api/src/query/declaration/fields';
import { isComparable } from '../../apps/api/src/query/declaration/query-type';
import { findCompared } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import {
  naiveRequest,
  pageOf,
  request,
  RUNS,
  SEED,
  typesAbout,
  withOptions,
  type RandomRequest,
} from './asked-requests';
import { firstDifference } from './compare';
import { expectedAboutLink, expectedAboutWebsite } from './expected-rows';
import { compared, earlierRequest, sortedByChange, type NaiveComparison } from './naive-comparison';
import { dateOf, lastDay, type NaiveRequest } from './naive-request';
import type { Row } from './naive-website-answers';
import { clicks } from './random-clicks';
import { linkFilters, websiteFilters } from './random-requests';
import { traffic } from './random-traffic';
import { trafficAtClockChange } from './traffic-at-clock-changes';

jest.setTimeout(3_600_000);

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

describe(`every comparison equals the oracle's (seed ${SEED})`, () => {
  const comparison = fc.constantFrom('previous_period' as const, 'previous_year' as const);

  it('about websites', () =>
    fc.assert(
      fc.asyncProperty(traffic, request, websiteFilters, comparison, async (some, random, filters, comparing) => {
        const id = `site_${++subjects}`;
        const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
        await database.send(id, events);
        const naive = later(naiveRequest(random, some.start, some.zone, filters), comparing, events, random);
        await checkComparisons('website', { id, ownZone: some.zone, random, naive, comparing }, (name, asked) =>
          expectedAboutWebsite(name, asked, events),
        );
      }),
      { seed: SEED, numRuns: COMPARED_RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('about websites where everything happened again, in their own zone and without filters', () =>
    fc.assert(
      fc.asyncProperty(traffic, request, async (some, random) => {
        const id = `site_${++subjects}`;
        const first = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
        const asked = { ...random, ownZone: true, running: random.running ?? { event: 0, hours: 0 } };
        const plain = naiveRequest(asked, some.start, some.zone, []);
        const days = plain.from === undefined ? dayNumber(plain.endDate) - dayNumber(plain.startDate) + 1 : 1;
        const again = first.map((event) => ({ ...event, at: event.at + days * 86_400_000 })) as typeof first;
        const events = [...first, ...again];
        await database.send(id, events, undefined, 'never');
        const naive = later(plain, 'previous_period', first, asked);
        const about = { id, ownZone: some.zone, random, naive, comparing: 'previous_period' as const };
        await checkComparisons('website', about, (name, of) => expectedAboutWebsite(name, of, events));
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('to an hour that clocks skip or repeat in part', () =>
    fc.assert(
      fc.asyncProperty(
        trafficAtClockChange,
        request,
        websiteFilters,
        async ({ some, range: asked }, random, filters) => {
          const id = `site_${++subjects}`;
          const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
          await database.send(id, events);
          const whole = { ...random, isLastDay: false };
          const naive = { ...naiveRequest(whole, some.start, some.zone, filters), ...asked };
          const about = { id, ownZone: some.zone, random, naive, comparing: 'previous_period' as const };
          await checkComparisons('website', about, (name, of) => expectedAboutWebsite(name, of, events));
        },
      ),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('about links', () =>
    fc.assert(
      fc.asyncProperty(clicks, request, linkFilters, comparison, async (some, random, filters, comparing) => {
        const id = `link_${++subjects}`;
        const events = some.events({ linkId: id, organizationId: 'org_1' });
        await database.send(id, events);
        const naive = later(naiveRequest(random, some.start, some.zone, filters), comparing, events, random);
        await checkComparisons('link', { id, ownZone: 'UTC', random, naive, comparing }, (name, asked) =>
          expectedAboutLink(name, asked, events),
        );
      }),
      { seed: SEED, numRuns: COMPARED_RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));
});

const COMPARED_RUNS = Math.ceil(RUNS / 4);

/** Most ranges so that they are asked for on their last day, at the hour of an event in the range before or shortly before. */
function later(
  naive: NaiveRequest,
  comparing: NaiveComparison,
  events: readonly { at: number }[],
  random: RandomRequest,
) {
  const { running } = random;
  const at = events[(running?.event ?? 0) % events.length]?.at;
  if (!running || at === undefined) return naive;
  const days = naive.from === undefined ? dayNumber(naive.endDate) - dayNumber(naive.startDate) + 1 : 1;
  const now = at + ((comparing === 'previous_year' ? 365 : days) * 24 - running.hours) * 3_600_000;
  if (naive.from !== undefined) return { ...naive, ...lastDay(now, naive.timezone), now };
  const endDate = dateOf(now, naive.timezone);
  return { ...naive, startDate: addDays(endDate, 1 - days), endDate, now };
}

interface Comparing {
  readonly id: string;
  readonly ownZone: string;
  readonly random: RandomRequest;
  readonly naive: NaiveRequest;
  readonly comparing: NaiveComparison;
}

async function checkComparisons(
  about: 'website' | 'link',
  { id, ownZone, random, naive: plain, comparing }: Comparing,
  expect: (name: string, asked: NaiveRequest) => Row[] | undefined,
): Promise<void> {
  const { page, limit } = random;
  for (const type of typesAbout(about).filter(isComparable)) {
    const naive = withOptions(type, plain, random);
    const wish = { about, id, ownZone, ...naive, page, ...(limit ? { limit } : {}) };
    const earlier = { ...earlierRequest(naive, comparing), minSamples: 1 };
    const now = expect(type.name, naive);
    const before = expect(type.name, earlier);
    if (!now || !before) throw new Error(`The oracle does not know ${type.name}: write down its definition first.`);
    const rowsBeside = compared(now, before, type.shape !== 'list');
    const direction = type.shape === 'list' ? random.byChange : undefined;
    const expected = direction ? sortedByChange(rowsBeside, type.order[0]?.field, direction) : rowsBeside;
    const sort = direction && { field: 'change_percent', direction };
    const { rows, hidden } = await findCompared(database.pool, type, { ...wish, ...(sort ? { sort } : {}) }, comparing);
    const difference = firstDifference(rows, pageOf(type, expected, page, limit), true);
    const asked = `${JSON.stringify(naive)} page ${page} of ${limit}, by ${sort?.direction ?? 'default'}`;
    if (difference) throw new Error(`${type.name} with ${comparing} for ${asked}: ${difference}`);
    const every = expect(type.name, { ...naive, minSamples: 1 }) ?? [];
    const few =
      every.length - now.length || (type.shape === 'series' && minSamplesOf(type) ? withoutPercentiles(now) : 0);
    if (hidden !== few) throw new Error(`${type.name} for ${asked}: ${hidden} rows are hidden instead of ${few}`);
  }
}

const withoutPercentiles = (rows: readonly Row[]): number =>
  rows.filter(({ samples, p75 }) => samples !== 0 && p75 === null).length;
