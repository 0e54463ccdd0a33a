import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { addDays, dayNumber } from '@ledgerline/domain/time/zones';
import fc from 'fast-check';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import type { QueryType } from '../../apps/api/src/query/query-type';
import { findCompared, finding, type Find, type TypeRequest } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { firstDifference } from './compare';
import { compared, earlierRequest, sortedByChange, type NaiveComparison } from './naive-comparison';
import { expectedAboutLink, expectedAboutWebsite } from './expected-rows';
import { dateOf, type NaiveFilter, type NaiveRequest } from './naive-request';
import type { Row } from './naive-website-answers';
import { naiveSessions } from './naive-sessions';
import { linkFilters, range, vitalsOptions, websiteFilters } from './random-requests';
import { clicks, traffic, ZONES } from './random-traffic';
import { trafficAtClockChange } from './traffic-at-clock-changes';

/** `ORACLE_RUNS=1000 ORACLE_SEED=7 npx jest test/oracle` for the long run or another seed. */
const RUNS = Number(process.env['ORACLE_RUNS'] ?? 6);
const SEED = Number(process.env['ORACLE_SEED'] ?? 20_261_121);
const REQUESTS_PER_TRAFFIC = 3;

const request = fc.record({
  range,
  ownZone: fc.boolean(),
  zone: fc.constantFrom(...ZONES),
  granularity: fc.constantFrom('daily' as const, 'hourly' as const),
  /** Minutes after the first day at which somebody asks: in the middle of things, or long after them. */
  asked: fc.constantFrom(2880, 3000, 4321, 400 * 1440),
  /** Comparisons of ranges that are not over: so many hours before an event of the earlier range, on the later one's last day. */
  running: fc.option(fc.record({ event: fc.nat(), hours: fc.integer({ min: 0, max: 3 }) }), {
    freq: 4,
    nil: undefined,
  }),
  byChange: fc.constantFrom(undefined, 'asc' as const, 'desc' as const),
  page: fc.constantFrom(1, 1, 2),
  limit: fc.constantFrom(undefined, undefined, 1, 3),
  ofVitals: vitalsOptions,
});
type RandomRequest = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

const requests = <T>(filters: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(request, filters), { minLength: REQUESTS_PER_TRAFFIC, maxLength: REQUESTS_PER_TRAFFIC });

/** Events arrive in any order, cut into batches anywhere, and some of them twice; these are dropped, or logged again. */
const arrival = fc.record({
  shuffle: fc.nat(),
  batch: fc.integer({ min: 1, max: 25 }),
  again: fc.array(fc.nat(59), { maxLength: 12 }),
  dedupe: fc.constantFrom('48h' as const, 'never' as const),
});
type Arrival = typeof arrival extends fc.Arbitrary<infer Value> ? Value : never;

jest.setTimeout(3_600_000);

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

describe(`every answer equals the oracle's (seed ${SEED}, ${RUNS} runs)`, () => {
  it('about websites', () =>
    fc.assert(
      fc.asyncProperty(traffic, arrival, requests(websiteFilters), async (some, arriving, asked) => {
        const id = `site_${++subjects}`;
        const events = some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone });
        await database.send(id, asTheyArrive(events, arriving), arriving.batch, arriving.dedupe);
        for (const [random, filters] of asked) {
          const plain = naiveRequest(random, some.start, some.zone, filters);
          const about = { about: 'website' as const, id, ownZone: some.zone };
          const findPlain = await findingAs(about, plain, random);
          for (const type of typesAbout('website')) {
            const needed = idFilters(type, events);
            const naive = withVitals(type, { ...plain, filters: [...filters, ...needed] }, random);
            const find = needed.length === 0 && !takesVitals(type) ? findPlain : await findingAs(about, naive, random);
            const expected = expectedAboutWebsite(type.name, naive, events);
            await check(type, find, random, { naive, expected });
          }
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));

  it('about links', () =>
    fc.assert(
      fc.asyncProperty(clicks, arrival, requests(linkFilters), async (some, arriving, asked) => {
        const id = `link_${++subjects}`;
        const events = some.events({ linkId: id, organizationId: 'org_1' });
        await database.send(id, asTheyArrive(events, arriving), arriving.batch);
        for (const [random, filters] of asked) {
          const naive = naiveRequest(random, some.start, some.zone, filters);
          const find = await findingAs({ about: 'link', id, ownZone: 'UTC' }, naive, random);
          for (const type of typesAbout('link')) {
            const expected = expectedAboutLink(type.name, naive, events);
            await check(type, find, random, { naive, expected });
          }
        }
      }),
      { seed: SEED, numRuns: RUNS, endOnFailure: process.env['ORACLE_SHRINK'] === undefined },
    ));
});

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
          const naive = { ...naiveRequest(random, some.start, some.zone, filters), ...asked };
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
  const days = dayNumber(naive.endDate) - dayNumber(naive.startDate) + 1;
  const now = at + ((comparing === 'previous_year' ? 365 : days) * 24 - running.hours) * 3_600_000;
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
  for (const type of typesAbout(about).filter(({ isComparable }) => isComparable)) {
    const naive = withVitals(type, plain, random);
    const wish = { about, id, ownZone, ...naive, page, ...(limit ? { limit } : {}) };
    const earlier = { ...earlierRequest(naive, comparing), minSamples: 1 };
    const [now, before] = [expect(type.name, naive), expect(type.name, earlier)];
    if (!now || !before) throw new Error(`The oracle does not know ${type.name}: write down its definition first.`);
    const rowsBeside = compared(now, before, type.shape !== 'list');
    const direction = type.shape === 'list' ? random.byChange : undefined;
    const expected = direction ? sortedByChange(rowsBeside, type.order[0]?.field, direction) : rowsBeside;
    const sort = direction && { field: 'change_percent', direction };
    const { rows } = await findCompared(database.pool, type, { ...wish, ...(sort ? { sort } : {}) }, comparing);
    const difference = firstDifference(rows, pageOf(type, expected, page, limit), true);
    const asked = `${JSON.stringify(naive)} page ${page} of ${limit}, by ${sort?.direction ?? 'default'}`;
    if (difference) throw new Error(`${type.name} with ${comparing} for ${asked}: ${difference}`);
  }
}

/** The filters a type cannot do without, on every second visitor or session, and on one that does not exist. */
const idFilters = ({ requiredFilters }: QueryType, events: readonly WebsiteObservedEvent[]): NaiveFilter[] =>
  requiredFilters.map((field) => {
    const sessions = naiveSessions(events);
    const ids = field === 'session_id' ? sessions.map(({ id }) => id) : sessions.map(({ visitor }) => visitor);
    const some = [...new Set(ids)].filter((id, at) => id !== null && at % 2 === 0) as string[];
    return { field, op: 'in', value: [...some, 'f'.repeat(32)] };
  });

const takesVitals = ({ allowedFilters }: QueryType) => allowedFilters.includes('metric_name');

const withVitals = (type: QueryType, naive: NaiveRequest, { ofVitals: { filters, ...rest } }: RandomRequest) =>
  takesVitals(type) ? { ...naive, ...rest, filters: [...naive.filters, ...filters] } : naive;

const typesAbout = (about: 'website' | 'link') => CATALOGUE.filter((type) => type.about === about);

function naiveRequest(
  random: RandomRequest,
  start: string,
  zone: string,
  filters: readonly NaiveFilter[],
): NaiveRequest {
  const startDate = addDays(start, random.range.from);
  const days = random.granularity === 'hourly' ? random.range.days % 5 : random.range.days;
  return {
    startDate,
    endDate: addDays(startDate, days),
    timezone: random.ownZone ? zone : random.zone,
    granularity: random.granularity,
    filters,
    now: Date.parse(`${start}T00:00:00Z`) + random.asked * 60_000,
  };
}

const findingAs = (
  subject: Pick<TypeRequest, 'about' | 'id' | 'ownZone'>,
  naive: NaiveRequest,
  { page, limit }: RandomRequest,
) => finding(database.pool, { ...subject, ...naive, page, ...(limit ? { limit } : {}) });

async function check(
  type: QueryType,
  find: Find,
  { page, limit }: RandomRequest,
  { naive, expected }: { naive: NaiveRequest; expected: Row[] | undefined },
): Promise<void> {
  if (!expected) throw new Error(`The oracle does not know ${type.name}: write down its definition first.`);
  const { rows, total } = await find(type);
  const difference =
    firstDifference(rows, pageOf(type, expected, page, limit)) ??
    (total === (type.shape === 'list' ? expected.length : undefined) ? undefined : `${total} rows in all`);
  if (difference) throw new Error(`${type.name} for ${JSON.stringify(naive)} page ${page} of ${limit}: ${difference}`);
}

function pageOf(type: QueryType, rows: Row[], page: number, limit: number | undefined): Row[] {
  if (type.shape === 'totals') return page === 1 ? rows : [];
  const size = limit ?? 10_000;
  if (type.shape === 'series' || type.name === 'realtime_velocity') {
    const end = rows.length - (page - 1) * size;
    return rows.slice(Math.max(0, end - size), Math.max(0, end));
  }
  return rows.slice((page - 1) * size, page * size);
}

/** The same order for the same number. */
function asTheyArrive<T extends { id: string }>(events: readonly T[], { shuffle, again }: Arrival): T[] {
  const key = ({ id }: T, at: number) => ((at + 1) * 2_654_435_761 + shuffle * id.charCodeAt(5)) % 1_000_003;
  const repeated = again.flatMap((at) => events[at] ?? []);
  return [...events, ...repeated]
    .map((event, at) => [key(event, at), event] as const)
    .sort(([a], [b]) => a - b)
    .map(([, event]) => event);
}
