import fc from 'fast-check';
import { comparingRows, type AnswerRow } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { traffic } from '../oracle/random-traffic';
import { runs } from '../random-runs';
import { asking, type TypeRequest } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';

/** Postgres sorts sessions, because they are too many to be sorted elsewhere. */
describe('session_list', () => {
  it('is sorted by each of its fields both ways, and newest first among equals', async () => {
    const property = fc.asyncProperty(traffic, async (some) => {
      const id = `site_${++subjects}`;
      await database.send(id, some.events({ websiteId: id, organizationId: 'org_1', zone: 'UTC' }));
      const wish = { ...WISH, id, startDate: addDays(some.start, -2), endDate: addDays(some.start, 120) };
      const newestFirst = await listed(wish);
      for (const field of sessionList.sources.singles?.sortedBy ?? []) {
        for (const direction of ['asc', 'desc'] as const) {
          const expected = [...newestFirst].sort(comparingRows([{ field, direction }]));
          for (const filters of [[], ALL]) {
            const sorted = { ...wish, filters, sort: { field, direction } };
            expect(await listed(sorted)).toEqual(expected);
            expect(await listed({ ...sorted, page: 2, limit: 2 })).toEqual(expected.slice(2, 4));
          }
        }
      }
      most = Math.max(most, newestFirst.length);
    });
    await fc.assert(property, { seed: 20_261_121, numRuns: runs(5) });
    expect(most).toBeGreaterThan(3);
  });
});

/** A filter that every session passes: columns find the rows then. */
const ALL = [{ field: 'country', op: 'ne' as const, value: 'ZZ' }];

const sessionList = queryTypeNamed('session_list')!;

const WISH = {
  about: 'website' as const,
  ownZone: 'UTC',
  timezone: 'UTC',
  granularity: 'daily' as const,
  filters: [],
  now: Date.parse('2027-01-01T00:00:00Z'),
};

const listed = async (wish: TypeRequest): Promise<readonly AnswerRow[]> =>
  (await asking(database.pool, wish))(sessionList);

let database: ProjectedDatabase;
let subjects = 0;
let most = 0;
beforeAll(async () => (database = await openProjectedDatabase()));
afterAll(() => database.close());
