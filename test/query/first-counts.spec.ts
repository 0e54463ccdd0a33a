import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { pageView } from '../events/observed-events';
import { finding } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';

/** A session from one day to the next, and one of the first day. */
const EVENTS = [
  pageView(Date.parse('2026-03-01T23:59:00Z'), { device: 'mobile', browser: 'Safari' }),
  pageView(Date.parse('2026-03-02T00:01:00Z'), { device: 'mobile', browser: 'Safari' }),
  pageView(Date.parse('2026-03-01T12:00:00Z'), { visitorId: 'b'.repeat(32), browser: 'Firefox' }),
];

describe('a list has a row for each value whose first count is more than 0', () => {
  it.each([
    ['rollups', 'rollups', []],
    ['columns of sessions', 'sessionColumns', []],
    [
      'columns of the sessions that filters select',
      undefined,
      [{ field: 'country', op: 'eq' as const, value: 'Unknown' }],
    ],
  ] as const)('from %s', async (_, executor, filters) => {
    const rowsOn = async (day: string, name: string) => {
      const find = await finding(database.pool, { ...WISH, startDate: day, endDate: day, filters });
      return (await find(queryTypeNamed(name)!, executor)).rows;
    };
    expect(await rowsOn('2026-03-02', 'device_types')).toMatchObject([{ name: 'mobile', pageviews: 1, visitors: 1 }]);
    expect(await rowsOn('2026-03-02', 'sessions_by_device')).toEqual([]);
    expect(await rowsOn('2026-03-02', 'sessions_by_browser')).toEqual([]);
    expect(await rowsOn('2026-03-01', 'sessions_by_browser')).toEqual([
      { name: 'Firefox', sessions: 1, visitors: 1 },
      { name: 'Safari', sessions: 1, visitors: 1 },
    ]);
  });
});

const WISH = {
  about: 'website' as const,
  id: 'site_1',
  ownZone: 'UTC',
  timezone: 'UTC',
  granularity: 'daily' as const,
  now: Date.parse('2026-06-01T00:00:00Z'),
};

let database: ProjectedDatabase;
beforeAll(async () => {
  database = await openProjectedDatabase();
  await database.send('site_1', EVENTS);
});
afterAll(() => database.close());
