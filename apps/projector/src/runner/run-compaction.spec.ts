import type { Pool } from 'pg';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { customEvent } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { bind, type BoundGroup } from './bound-group';
import { runCompaction } from './group-work';
import { compactionMetrics, type CompactionObserver } from './observers';

describe('the packing of kept counts in a projector', () => {
  it('merges rows in all versions that it writes, and counts them', async () => {
    const metrics = new Metrics();
    await packUntil(async () => (await countRows(1)) < 4 && (await countRows(2)) < 4, compactionMetrics(metrics));
    expect(lines).toEqual([]);
    const text = await metrics.text();
    expect(text).toMatch(/ledgerline_kept_counts_packed_rows_total (1[6-9]|[2-9]\d)/);
    expect(text).toMatch(/ledgerline_kept_counts_packing_duration_seconds_count [2-9]/);
  });

  it('leaves the tables of another program alone, and says what it cannot pack', async () => {
    await run(pool, sql`comment on table websites_v1.website_rollups is 'another'`);
    await run(
      pool,
      sql`update websites_v2.website_rollups set ${identifier(rollupNamed('custom_events').name)} = '\\x07'`,
    );
    await packUntil(() => lines.length > 0);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'kept counts cannot be packed; trying again' }),
    ]);
    expect([await countRows(1), await countRows(2)]).toEqual([10, 10]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let group: BoundGroup;
  let lines: { readonly level: string; readonly msg: string }[];

  beforeEach(async () => {
    lines = [];
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const log = new MemoryLog(
      Array.from({ length: 10 }, (_, n) => customEvent('site_1', n * 86_400)),
      () => 1,
    );
    group = bind(new WebsitesGroup(pool), log, pool);
    await openLiveVersion(pool, group, log);
    await withVersionsLock(pool, (client) => createVersion(client, group, 2, log));
    for (const version of [1, 2]) {
      const runner = group.runner({ partition: 0, batch: 10, version });
      await waitUntil(
        () => runner.step(),
        (step) => step !== 'moved',
      );
    }
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function packUntil(isDone: () => boolean | Promise<boolean>, observer?: CompactionObserver): Promise<void> {
    const stopping = new AbortController();
    const logger = createLogger('projector', 'info', { write: (line) => lines.push(JSON.parse(line) as never) });
    const packing = runCompaction({ group, logger, signal: stopping.signal, observer });
    await waitUntil(isDone);
    stopping.abort();
    await packing;
  }

  async function countRows(version: number): Promise<number> {
    const table = identifier(`websites_v${version}`, 'website_rollups');
    const [row] = await run<{ count: number }>(pool, sql`select count(*)::integer as count from ${table}`);
    return row?.count ?? 0;
  }
});
