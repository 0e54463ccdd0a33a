import { randomBytes } from 'node:crypto';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { pageView } from '../events/observed-events';
import { findCompared } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';

describe('compared rows in the order of their change', () => {
  it('are the first of all rows, not of those that come first by their counts', async () => {
    expect(await pathsBy('desc', 1)).toEqual(['/few']);
    expect(await pathsBy('desc', 3)).toEqual(['/few', '/many', '/new']);
    expect(await pathsBy('asc', 1)).toEqual(['/many']);
  });
});

let database: ProjectedDatabase;
beforeAll(async () => {
  database = await openProjectedDatabase();
  const times = (count: number, day: string, path: string) =>
    Array.from({ length: count }, () => steps(day, path)).flat();
  const before = [...times(4, '2026-03-01', '/many'), ...times(1, '2026-03-01', '/few')];
  const now = [
    ...times(5, '2026-03-02', '/many'),
    ...times(2, '2026-03-02', '/few'),
    ...times(1, '2026-03-02', '/new'),
  ];
  await database.send('site_1', [...before, ...now]);
});
afterAll(() => database.close());

/** A session that goes from the first page to another one. */
function steps(day: string, path: string) {
  const visitorId = randomBytes(16).toString('hex');
  const at = Date.parse(`${day}T10:00:00Z`);
  const view = (minutes: number, path: string) =>
    pageView(at + minutes * 60_000, { websiteId: 'site_1', visitorId, path });
  return [view(0, '/'), view(1, path)];
}

async function pathsBy(direction: 'asc' | 'desc', limit: number): Promise<unknown[]> {
  const range = { startDate: '2026-03-02', endDate: '2026-03-02', granularity: 'daily' as const, filters: [] };
  const about = { about: 'website' as const, id: 'site_1', ownZone: 'UTC', timezone: 'UTC' };
  const sort = { field: 'change_percent', direction };
  const wish = { ...about, ...range, limit, sort, now: Date.parse('2026-04-01T00:00:00Z') };
  const { rows } = await findCompared(database.pool, queryTypeNamed('session_flow')!, wish, 'previous_period');
  return rows.map((row) => row['to_path']);
}
