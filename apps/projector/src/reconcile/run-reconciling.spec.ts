import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql, textHash } from '@ledgerline/platform/database/sql';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { customEvent, linkClick, pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { reconcilePartition, runReconciling } from './run-reconciling';

describe('comparing tables with the log in the background', () => {
  it('finds nothing at first, and logs what differs later: the first findings and the number of the others', async () => {
    await waitUntil(
      () => run(pool, sql`select from reconciliations where projection_group = 'links' and checked_at is not null`),
      (rows) => rows.length === 1,
    );
    expect(lines).toEqual([]);
    await run(pool, sql`update links_v1.link_countries set clicks = clicks + 1`);
    await waitUntil(
      () => lines.length,
      (count) => count > 20,
    );
    expect(lines.slice(0, 20).map(({ level, finding }) => [level, finding?.table])).toEqual(
      Array.from({ length: 20 }, () => ['error', 'link_countries']),
    );
    expect(JSON.stringify(lines)).not.toContain('expected'); // a row may be a visitor's, and nothing erases a log
    expect(lines[20]).toMatchObject({
      level: 'error',
      msg: `tables differ from the log on ${LINKS - 20} more days`,
    });
    const passes = () => run<{ at: Date }>(pool, sql`select checked_at as at from reconciliations`);
    const [{ at: before } = { at: new Date(0) }] = await passes();
    await waitUntil(passes, ([row]) => row !== undefined && row.at > before);
    expect(lines).toHaveLength(21); // they are known
  });

  it('compares the tables of websites, and keeps the digests of their days', async () => {
    const log = new MemoryLog([customEvent('site_1', 0), customEvent('site_1', 1)]);
    const group: BoundGroup = bind(new WebsitesGroup(pool), log, pool);
    await openLiveVersion(pool, group, log);
    await group.runner({ partition: 0, batch: 100, version: 'live' }).step();
    const logger = createLogger('projector', 'info', { write: (line: string) => void warnings.push(line) });
    const passes = runReconciling({ group, logger, signal: stopping.signal, share: 1, everyMs: 10 });
    await waitUntil(
      () => run(pool, sql`select from reconciliations where projection_group = 'websites' and checked_at is not null`),
      (rows) => rows.length === 1,
    );
    const stored = await run(pool, sql`select counts from reconciled_days where subject = 'site_1'`);
    const checksum = expect.any(Number) as number;
    expect(stored).toEqual([{ counts: { sessions: [2, checksum], custom_events: [2, checksum] } }]);
    expect(warnings).toEqual([]);
    stopping.abort();
    await passes;
  });

  it('keeps open what only a full comparison sees, until another one does not find it', async () => {
    const own = await createTestDatabase();
    const store = openProjectionPool(own.url, { max: 4 });
    const log = new MemoryLog([pageView(Date.parse('2026-05-24T12:00:00Z'), { websiteId: 'site_1', country: 'DE' })]);
    const group: BoundGroup = bind(new WebsitesGroup(store), log, store);
    await openLiveVersion(store, group, log);
    await group.runner({ partition: 0, batch: 100, version: 'live' }).step();
    const compare = async (goesOn: boolean) => {
      const onFinding = () => undefined;
      await reconcilePartition({ group, partition: 0, goesOn, rest: () => Promise.resolve(), onFinding });
      return run(store, sql`select table_name as table from reconciliation_findings where repaired_at is null`);
    };
    const rename = (from: string, to: string) =>
      run(store, sql`update dictionary set text = ${to}, hash = ${textHash(to)}::uuid where text = ${from}`);
    expect(await compare(true)).toEqual([]);
    await rename('DE', 'FR');
    expect(await compare(false)).toEqual([{ table: 'sessions' }]);
    expect(await compare(true)).toEqual([{ table: 'sessions' }]);
    await rename('FR', 'DE');
    expect(await compare(false)).toEqual([]);
    await store.end();
    await own.drop();
  });

  const LINKS = 25;
  let database: TestDatabase;
  let pool: Pool;
  let loop: Promise<void>;
  const stopping = new AbortController();
  const warnings: string[] = [];
  const lines: { readonly level: string; readonly msg: string; readonly finding?: { readonly table: string } }[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const log = new MemoryLog(Array.from({ length: LINKS }, (_, n) => linkClick(`link_${n}`, n)));
    const group: BoundGroup = bind(linksGroup(), log, pool);
    await openLiveVersion(pool, group, log);
    await group.runner({ partition: 0, batch: 100, version: 'live' }).step();
    const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]);
    const logger = createLogger('projector', 'info', { write });
    loop = runReconciling({ group, logger, signal: stopping.signal, share: 1, everyMs: 10 });
  });
  afterAll(async () => {
    stopping.abort();
    await loop;
    await pool.end();
    await database.drop();
  });
});
