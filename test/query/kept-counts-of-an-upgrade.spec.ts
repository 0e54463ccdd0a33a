import { v4 as uuid } from 'uuid';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModelColumn } from '@ledgerline/contracts/read-models/read-model';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { declarationDdl } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { offsetOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { boundGroups, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { openLiveVersion } from '../../apps/projector/src/versions/live-version';
import { eachKindOf } from '../events/each-kind';
import { pageView } from '../events/observed-events';
import { finding } from './answer-type';
import { openProjectedDatabase, PARTITIONS } from './projected-database';

const ZONE = 'Asia/Kathmandu';
const AT = Date.parse('2026-05-24T12:00:00Z');
const ANSWERED = CATALOGUE.filter(({ about, takes }) => about === 'website' && takes.ids.length === 0);
/** Kept counts have percentiles within 1 %. */
const withoutPercentiles = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows, (key, value: unknown) => (/^(p\d\d$|median_)/.test(key) ? undefined : value)));
const ERRORS = rollupNamed('errors').name;
const PAGES = rollupNamed('pages').name;
/** The name of an earlier declaration, whose bytes mean something else. */
const OTHER_PAGES = 'pages_0badc0de';
const { [ERRORS]: _, [PAGES]: pages, ...others } = websiteRollups.columns as Readonly<Record<string, ReadModelColumn>>;
const earlier = { ...others, [OTHER_PAGES]: { ...pages!, holds: 'views · by path · visitors' } };

it('an upgrade with more rollups, and another declaration of one, answers rightly before, meanwhile and after, and reads no event again', async () => {
  const database = await openProjectedDatabase();
  const { pool, url: databaseUrl } = database;
  const eventStore = await openEventStore({ databaseUrl });
  const register = async (websiteId: string, ...then: readonly string[]) => {
    const data = { websiteId, organizationId: 'org_1', name: 'Shop', domain: 'example.com', timezone: ZONE };
    const details = { ...data, visitorIdentity: 'daily', retentionDays: null, hosts: [] };
    const events = ['WebsiteRegistered', ...then].map((type) => ({ id: uuid(), type, data: details, metadata: {} }));
    await eventStore.append(
      RECORD_KINDS.websites.stream({ organizationId: 'org_1', id: websiteId }),
      'no-stream',
      events,
    );
  };
  await register('site_1');
  await register('site_2', 'WebsiteDeleted');
  for (const site of ['site_1', 'site_2']) await database.send(site, eachKindOf(site, ZONE));
  await database.seal();
  await pool.query(`alter table websites_v1.website_rollups drop column ${ERRORS}`);
  await pool.query(`alter table websites_v1.website_rollups rename column ${PAGES} to ${OTHER_PAGES}`);
  await pool.query(declarationDdl('websites_v1', { ...websiteRollups, columns: earlier }));

  const projecting = openProjectionPool(databaseUrl);
  const intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
  const read = jest.spyOn(intakeLog, 'read');
  const own = boundGroups({ eventStore, intakeLog, pool: projecting }).find(({ name }) => name === 'websites')!;
  const answers = async () => {
    const find = await finding(pool, WISH);
    const found: Record<string, unknown> = {};
    for (const type of ANSWERED) found[type.name] = withoutPercentiles((await find(type)).rows);
    return found;
  };
  const before = await answers();
  expect(before).toMatchObject({ top_pages: [{ pageviews: 1 }] });
  let expected: unknown;
  const group: BoundGroup = {
    ...own,
    zones: async () => {
      expect(await answers()).toEqual(before);
      await database.send('site_1', [pageView(AT - 60_000, { websiteId: 'site_1', zone: ZONE })]);
      expected = await answers();
      return own.zones!();
    },
  };
  await openLiveVersion(projecting, group, intakeLog);
  expect((await readLayout(pool, 'websites'))?.tables).toEqual({ website_rollups: { pending: 2 } });
  const filled = new Map(await positions());
  expect(await rebuild({ group, tables: [websiteRollups], version: 2, flip: true })).toMatchObject({
    flipped: true,
    differences: [],
  });
  expect(expected).not.toEqual(before);
  expect(await answers()).toEqual(expected);
  for (const [partition, after] of read.mock.calls)
    expect(offsetOf(after)).toBeGreaterThanOrEqual(filled.get(partition) ?? Infinity);

  await Promise.all([intakeLog.close(), eventStore.close(), projecting.end()]);
  await database.close();

  async function positions() {
    const rows = await run<{ partition: number; cursor: string }>(
      pool,
      sql`select partition, cursor from projection_checkpoints where projection_group = 'websites' and version = 1`,
    );
    return rows.map(({ partition, cursor }) => [partition, offsetOf(cursor)] as const);
  }
});

const WISH = {
  about: 'website' as const,
  id: 'site_1',
  ownZone: ZONE,
  timezone: ZONE,
  startDate: '2026-05-23',
  endDate: '2026-05-25',
  granularity: 'daily' as const,
  filters: [],
  now: Date.parse('2026-06-01T00:00:00Z'),
};
