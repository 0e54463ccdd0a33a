import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { declarationDdl } from '@ledgerline/platform/database/read-model-tables';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { pageView } from '../events/observed-events';
import { finding } from './answer-type';
import { openProjectedDatabase } from './projected-database';

const VIEWS = rollupNamed('views').name;
const others = Object.fromEntries(Object.entries(websiteRollups.columns).filter(([name]) => name !== VIEWS));

/** As while a later program fills them: what an earlier one has of the table. */
const EARLIER = [
  ['no table', 'drop table if exists websites_v1.website_rollups'],
  ['no declaration', 'comment on table websites_v1.website_rollups is null'],
  ['other rows', declarationDdl('websites_v1', { ...websiteRollups, meaning: [0] })],
  ['fewer columns', declarationDdl('websites_v1', { ...websiteRollups, columns: others })],
] as const;

it.each(EARLIER)(
  'questions are answered from columns of sessions where there is %s of kept counts',
  async (_what, ddl) => {
    const database = await openProjectedDatabase();
    const at = Date.parse('2026-03-02T10:00:00Z');
    await database.send('site_1', [
      pageView(at, { device: 'mobile' }),
      pageView(at + 1000, { visitorId: 'b'.repeat(32) }),
    ]);
    await database.pool.query(ddl);
    const find = await finding(database.pool, WISH);
    const rowsOf = async (name: string) => (await find(CATALOGUE.find((type) => type.name === name)!)).rows;
    expect(await rowsOf('summary_metrics')).toMatchObject([{ pageviews: 2, unique_visitors: 2, sessions: 2 }]);
    expect(await rowsOf('device_types')).toHaveLength(2);
    expect(await find(CATALOGUE.find(({ name }) => name === 'session_list')!)).toMatchObject({ total: 2 });
    for (const type of CATALOGUE.filter(({ about, takes }) => about === 'website' && takes.ids.length === 0))
      await find(type);
    await database.close();
  },
);

const WISH = {
  about: 'website' as const,
  id: 'site_1',
  ownZone: 'UTC',
  timezone: 'UTC',
  startDate: '2026-03-02',
  endDate: '2026-03-02',
  granularity: 'daily' as const,
  filters: [],
  now: Date.parse('2026-06-01T00:00:00Z'),
};
