import type { Pool } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { key, readModel, sum } from '@ledgerline/contracts/read-models/read-model';
import { linkDomains } from '@ledgerline/contracts/read-models/website-facts';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { readLayout, tableVersionOf } from '@ledgerline/platform/table-versions/live-tables';
import { customEvent } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { keepVersions } from './keep-versions';

const FORMER = readModel('website_daily', { website: key('integer'), day: key('date'), pageviews: sum() });

it('an installation without kept counts fills them beside the rest, packed, and stops its former tables', async () => {
  const log = new MemoryLog(
    Array.from({ length: 300 }, (_, n) => customEvent(`site_${n % 3}`, n * 900)),
    () => 5,
  );
  const group = bind(new WebsitesGroup(pool), log, pool);
  const isNew = ({ name }: { readonly name: string }) =>
    [websiteRollups, linkDomains].some((model) => model.name === name);
  const builds = [...group.builds.filter((model) => !isNew(model)), FORMER];
  const former = bind(Object.assign(new WebsitesGroup(pool), { builds }), log, pool);
  await openLiveVersion(pool, former, log);
  await step(former);

  await openLiveVersion(pool, group, log);
  const layout = await readLayout(pool, 'websites');
  expect(layout?.tables).toMatchObject({ website_daily: { isFrozen: true }, website_rollups: { pending: 2 } });
  const stopping = new AbortController();
  const logger = createLogger('projector', 'silent');
  const keeping = keepVersions({ group, logger, signal: stopping.signal, everyMs: 10 });
  await waitUntil(async () => tableVersionOf((await readLayout(pool, 'websites'))!, websiteRollups.name) === 2);
  log.add(...Array.from({ length: 30 }, (_, n) => customEvent(`site_${n % 3}`, 400_000 + n)));
  await step(group);
  stopping.abort();
  await keeping;

  await withVersionsLock(pool, (client) => createVersion(client, group, 3, log));
  await step(group, 3);
  const filled = await readKept(pool, 'websites_v2');
  const all = await readKept(pool, 'websites_v3');
  expect(keptSums(filled)).toEqual(keptSums(all));
  expect(filled.length).toBeLessThan(40); // 18 of them are of the batches since
});

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openProjectionPool(database.url, { max: 6 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function step(group: BoundGroup, version: number | 'live' = 'live'): Promise<void> {
  const runner = group.runner({ partition: 0, batch: 100, version });
  await waitUntil(
    () => runner.step(),
    (done) => done === 'idle',
  );
}
