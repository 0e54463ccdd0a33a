import type { Order } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import fc from 'fast-check';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import type { QueryType, Source } from '../../apps/api/src/query/query-type';
import { firstDifference, WITHIN_ONE_PERCENT } from '../oracle/compare';
import { range } from '../oracle/random-requests';
import { clicks, traffic, ZONES } from '../oracle/random-traffic';
import { asking, finding, type TypeRequest } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';

/** `ROLLUP_RUNS=100 npx jest test/query/rollups` for the long run. */
const RUNS = Number(process.env['ROLLUP_RUNS'] ?? 4);

/** Rollups and facts are two opinions on the same events: wherever both can answer they must agree. */
describe('rollups and facts agree', () => {
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

/** Types of one request share the sessions that filters on attributes select. */
it('shared sessions and facts agree', async () => {
  const property = fc.asyncProperty(
    traffic,
    range,
    zones,
    attributeFilters,
    async (some, { from, days }, zone, filters) => {
      const id = `site_${++subjects}`;
      await database.send(id, some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone }));
      const startDate = addDays(some.start, from % 3);
      const wish = { ...WISH, about: 'website' as const, id, ownZone: some.zone, timezone: zone, startDate, filters };
      await expectSharedAgreement({ ...wish, endDate: addDays(startDate, days % 20) });
      await expectSharedAgreement({ ...wish, endDate: addDays(startDate, days % 4), granularity: 'hourly' });
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
}, 240_000);

const zones = fc.constantFrom(...ZONES);
/** Most of them select most sessions. */
const attributeFilters = fc.array(
  fc.record({
    field: fc.constantFrom('country', 'device_type', 'browser_name', 'os_name', 'referrer', 'utm_source'),
    op: fc.constantFrom('not_in' as const, 'not_in' as const, 'in' as const),
    value: fc.uniqueArray(fc.constantFrom('DE', 'desktop', 'Chrome', 'linux', 'Direct', 'x', 'Unknown'), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  { minLength: 1, maxLength: 2 },
);

async function expectSharedAgreement(wish: TypeRequest): Promise<void> {
  for (const { limit, sort } of [
    {},
    { limit: 2 },
    { limit: 2, sort: { field: 'visitors', direction: 'asc' as const } },
  ]) {
    const find = await finding(database.pool, { ...wish, ...(limit ? { limit } : {}), ...(sort ? { sort } : {}) });
    for (const type of CATALOGUE.filter(({ aggregateInMemory }) => aggregateInMemory)) {
      const [shared, facts] = [await find(type), await find(type, 'facts')];
      const where = `${type.name}, ${JSON.stringify(wish)}`;
      expect({ where, total: shared.total }).toEqual({ where, total: facts.total });
      const difference = firstDifference(shared.rows, facts.rows);
      if (difference) throw new Error(`${where}: ${difference}`);
    }
  }
}

const SEED = 20_261_121;
const WISH = { granularity: 'daily' as const, filters: [], now: Date.parse('2027-01-01T00:00:00Z') };

const sorts = fc.record({ field: fc.nat(11), direction: fc.constantFrom('asc' as const, 'desc' as const) });
type Sorts = typeof sorts extends fc.Arbitrary<infer Value> ? Value : never;

let database: ProjectedDatabase;
let subjects = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());

async function expectAgreement(wish: TypeRequest, order: Sorts): Promise<void> {
  const ask = await asking(database.pool, wish);
  for (const type of CATALOGUE.filter(({ about }) => about === wish.about)) {
    const sort = sortOf(type, order);
    const asSorted = await asking(database.pool, { ...wish, sort, limit: 2 });
    for (const source of rollupsOf(type, wish)) {
      const where = `${type.name} from ${source}, ${wish.startDate} to ${wish.endDate}`;
      const difference = firstDifference(await ask(type, source), await ask(type, 'facts'));
      if (difference) throw new Error(`${where}: ${difference}`);
      const ofPage = firstDifference(await asSorted(type, source), await asSorted(type, 'facts'));
      if (ofPage) throw new Error(`${where}, by ${sort.field} ${sort.direction}: ${ofPage}`);
    }
  }
}

function sortOf({ fields }: QueryType, { field, direction }: Sorts): Order {
  const exact = Object.keys(fields).filter((name) => !WITHIN_ONE_PERCENT.has(name));
  return { field: exact[field % exact.length] ?? '', direction };
}

function rollupsOf(type: QueryType, { granularity }: TypeRequest): Source[] {
  const wanted: Source[] = ['fifteenMinutes', type.granularity && granularity === 'hourly' ? 'hours' : 'days'];
  return wanted.filter((source) => type.sources[source]);
}
