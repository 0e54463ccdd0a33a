import fc from 'fast-check';
import type { RowOrder } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { readsOfType, type ExecutorName } from '../../apps/api/src/query/execution/executors';
import type { ParameterResult } from '../../apps/api/src/query/execution/response';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { firstDifference, WITHIN_ONE_PERCENT } from '../oracle/compare';
import { clicks } from '../oracle/random-clicks';
import { range } from '../oracle/random-requests';
import { traffic, ZONES } from '../oracle/random-traffic';
import { finding, type Find, type TypeRequest } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';
import { sealDays } from './seal-days';

/** `EXECUTOR_RUNS=100 npx jest test/query/executors-agree` for the long run. */
const RUNS = Number(process.env['EXECUTOR_RUNS'] ?? 4);

/** Rollups, blocks of 15 minutes, columns of sessions and facts are opinions on the same events: wherever two can answer they must agree. */
describe('executors agree', () => {
  it('about websites', async () => {
    const property = fc.asyncProperty(traffic, range, fc.nat(7), sorts, async (some, { from, days }, batch, sort) => {
      const id = `site_${++subjects}`;
      await database.send(id, some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone }), 8 * batch + 1);
      const startDate = addDays(some.start, from);
      const wish = { ...WISH, about: 'website' as const, id, ownZone: some.zone, timezone: some.zone, startDate };
      await expectAgreement({ ...wish, endDate: addDays(startDate, days) }, sort);
      await expectAgreement({ ...wish, endDate: addDays(startDate, days % 4), granularity: 'hourly' }, sort);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
    expect([...compared].sort()).toEqual(WEBSITE_PAIRS);
  }, 240_000);

  it('about links', async () => {
    const property = fc.asyncProperty(clicks, range, sorts, async (some, { from, days }, sort) => {
      const id = `link_${++subjects}`;
      await database.send(id, some.events({ linkId: id, organizationId: 'org_1' }));
      const startDate = addDays(some.start, from);
      const wish = { ...WISH, about: 'link' as const, id, ownZone: 'UTC', timezone: 'Asia/Kathmandu', startDate };
      await expectAgreement({ ...wish, endDate: addDays(startDate, days) }, sort);
      await expectAgreement({ ...wish, endDate: addDays(startDate, days % 4), granularity: 'hourly' }, sort);
    });
    await fc.assert(property, { seed: SEED, numRuns: RUNS });
  }, 240_000);
});

/** Days are sealed one after the other, and answers of any range, zone and filters stay what they were. */
it('sealed days and open ones agree', async () => {
  const property = fc.asyncProperty(
    traffic,
    range,
    zones,
    attributeFilters,
    fc.nat(),
    async (some, { from, days }, zone, filters, sealed) => {
      const id = `site_${++subjects}`;
      await database.send(id, some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone }));
      const startDate = addDays(some.start, from % 3);
      const about = { ...WISH, about: 'website' as const, id, ownZone: some.zone, timezone: zone, startDate };
      const wishes = [
        { ...about, endDate: addDays(startDate, days % 20), filters },
        { ...about, endDate: addDays(startDate, days % 4), filters, granularity: 'hourly' as const, limit: 2 },
        { ...about, endDate: addDays(startDate, days % 20), sort: { field: 'visitors', direction: 'asc' as const } },
      ];
      const answers = async () => Promise.all(wishes.map(countedAnswers));
      const open = await answers();
      const website = await sealDays(database.pool, id, (day) => (day + sealed) % 2 === 0);
      expect(await answers()).toEqual(open);
      await sealDays(database.pool, id, () => true);
      await run(database.pool, sql`delete from websites_v1.sessions where website = ${website}`);
      expect((await answers()).map(fromColumnsAlone)).toEqual(open.map(fromColumnsAlone));
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
}, 240_000);

const zones = fc.constantFrom(...ZONES);
/** Most of them select most sessions. */
const attributeFilters = fc.array(
  fc.record({
    field: fc.constantFrom('country', 'device_type', 'browser_name', 'os_name', 'referrer', 'utm_source', 'path'),
    op: fc.constantFrom('not_in' as const, 'not_in' as const, 'in' as const),
    value: fc.uniqueArray(fc.constantFrom('DE', 'desktop', 'Chrome', 'linux', 'Direct', 'x', 'Unknown', '/'), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  { minLength: 1, maxLength: 2 },
);

/** But for link conversions, which leave out clicks by what tables say of their sessions. */
const fromColumnsAlone = (answers: Awaited<ReturnType<typeof countedAnswers>>) =>
  answers.filter(([name]) => name !== 'link_conversions');

/** But for lists of sessions and visitors, whose rows are read from the table. */
async function countedAnswers(wish: TypeRequest) {
  const find = await finding(database.pool, wish);
  const answers: [string, ParameterResult][] = [];
  for (const type of CATALOGUE.filter(({ counting: columns }) => columns && !columns.isInOrderOf)) {
    answers.push([type.name, await find(type, 'sessionColumns')]);
  }
  return answers;
}

const SEED = 20_261_121;
const WISH = { granularity: 'daily' as const, filters: [], now: Date.parse('2027-01-01T00:00:00Z') };

const sorts = fc.record({ field: fc.nat(11), direction: fc.constantFrom('asc' as const, 'desc' as const) });
type Sorts = typeof sorts extends fc.Arbitrary<infer Value> ? Value : never;

const WEBSITE_PAIRS = ['facts plan', 'facts sessionColumns', 'rollups plan', 'rollups sessionColumns'];
/** The executors that were compared. */
const compared = new Set<string>();

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

async function expectAgreement(wish: TypeRequest, order: Sorts): Promise<void> {
  const find = await finding(database.pool, wish);
  for (const type of CATALOGUE.filter(({ about }) => about === wish.about)) {
    const sort = sortOf(type, order);
    const sorted = { ...wish, limit: 2, ...(sort && { sort }) };
    await expectSame(type, wish, find);
    await expectSame(type, sorted, await finding(database.pool, sorted));
  }
}

/** Rows, and how many there are in all, by each executor; at last by the one that is planned. */
async function expectSame(type: QueryType, wish: TypeRequest, find: Find): Promise<void> {
  const [first, ...others] = executorsOf(type, wish);
  if (!first || others.length === 0) return;
  const expected = await find(type, first);
  for (const executor of [...others, undefined]) {
    const found = await find(type, executor);
    const difference = firstDifference(found.rows, expected.rows);
    const { sort, startDate, endDate } = wish;
    const where = `${type.name} by ${executor ?? 'its plan'} and ${first}, ${startDate} to ${endDate}, ${JSON.stringify(sort)}`;
    if (difference) throw new Error(`${where}: ${difference}`);
    if (found.total !== expected.total) throw new Error(`${where}: ${found.total} and ${expected.total} rows`);
    compared.add(`${first} ${executor ?? 'plan'}`);
  }
}

function sortOf({ fields, sources }: QueryType, { field, direction }: Sorts): RowOrder | undefined {
  const exact = (sources.singles?.sortedBy ?? Object.keys(fields)).filter((name) => !WITHIN_ONE_PERCENT.has(name));
  const name = exact[field % exact.length];
  return name === undefined ? undefined : { field: name, direction };
}

/** All that may answer, whether it is planned or not. */
function executorsOf({ sources, counting, shape }: QueryType, wish: TypeRequest): ExecutorName[] {
  const { sort, granularity } = wish;
  const isKept =
    counting !== undefined &&
    readsOfType(counting)?.rollups !== undefined &&
    !(shape === 'series' && granularity === 'hourly');
  const isSorted = !sort || (counting?.isInOrderOf?.includes(sort.field) ?? true);
  return [
    ...(isKept ? ['rollups' as const] : []),
    ...(sources.fifteenMinutes ? ['fifteenMinutes' as const] : []),
    ...(sources.facts ? ['facts' as const] : []),
    ...(counting && isSorted ? ['sessionColumns' as const] : []),
  ];
}
