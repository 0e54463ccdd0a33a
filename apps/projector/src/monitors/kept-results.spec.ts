import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { monitorCheck } from '@test/monitors/random-checks';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { monitorsGroup } from '../projections/monitors/monitors-group';
import { rebuild } from '../rebuild/rebuild';
import { noteUncompared, type Finding } from '../reconcile/findings';
import { reconcilePartition, repair } from '../reconcile/run-reconciling';
import { bind, type BoundGroup } from '../runner/bound-group';
import { openLiveVersion } from '../versions/live-version';
import { dropOldResults } from './kept-results';

const JANUARY = Date.parse('2026-01-10T10:00:00Z');
/** A downtime that goes on into March. */
const FEBRUARY = Date.parse('2026-02-28T23:58:00Z');
const JUNE = new Date('2026-06-05T10:00:00Z');

describe('results of monitors', () => {
  it('go when they are older than they are kept, whole months, and stay gone when they are kept longer', async () => {
    expect(await months()).toEqual(['2026-01', '2026-02', '2026-03']);
    await dropOldResults(pool, 70, JUNE); // up to March 27
    expect(await months()).toEqual(['2026-03']);
    await dropOldResults(pool, 365, JUNE);
    log.add(...checks(JUNE.getTime()));
    await project();
    expect(await months()).toEqual(['2026-03', '2026-06']);
    expect(await run(pool, sql`select before::text from expirations where website_id = 'monitors'`)).toEqual([
      { before: '2026-03-01' },
    ]);
  });

  it('are compared with the log from then on alone, by rebuilds and all the time, and a repair brings none back', async () => {
    await dropOldResults(pool, 70, JUNE);
    expect(await reconcile()).toEqual([]);
    expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [] });
    await run(pool, sql`update monitors_v1.monitor_checks_15min set checks = checks + 1`);
    expect((await rebuild({ group, flip: false })).differences).toHaveLength(1);
    const found = await reconcile();
    expect(new Set(found.map(({ table }) => table))).toEqual(new Set(['monitor_checks_15min']));
    await repair(group, 0, { subject: 'mon_1', days: found.map(({ day }) => day) });
    expect(await months()).toEqual(['2026-03']);
    expect(await reconcile()).toEqual([]);
  });

  it('are deleted of a version that a rebuild has filled', async () => {
    await dropOldResults(pool, 70, JUNE);
    expect(await rebuild({ group, flip: true })).toMatchObject({ version: 2, flipped: true });
    await dropOldResults(pool, 70, JUNE);
    expect(await months(2)).toEqual(['2026-03']);
  });

  /** Up, down twice, and up again. */
  const checks = (start: number) =>
    [true, false, false, true].map((up, n) => monitorCheck('mon_1', start + n * 60_000, { up }));

  let database: TestDatabase;
  let pool: Pool;
  let log: MemoryLog;
  let group: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    log = new MemoryLog([...checks(JANUARY), ...checks(FEBRUARY)]);
    group = bind(monitorsGroup(), log, pool);
    await openLiveVersion(pool, group, log);
    await project();
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function project(): Promise<void> {
    const runner = group.runner({ partition: 0, batch: 100, version: 'live' });
    for (let step = await runner.step(); step !== 'idle';) step = await runner.step();
  }

  /** Of which a version has checks, and downtimes that end. */
  async function months(version = 1): Promise<readonly string[]> {
    const ofChecks = `select distinct to_char(start_15min at time zone 'UTC', 'YYYY-MM') as month
      from monitors_v${version}.monitor_checks_15min order by 1`;
    const ofDowntimes = `select distinct to_char(ended_at at time zone 'UTC', 'YYYY-MM') as month
      from monitors_v${version}.monitor_downtimes order by 1`;
    const read = async (text: string) =>
      (await run<{ month: string }>(pool, { text, values: [] })).map(({ month }) => month);
    const found = await read(ofChecks);
    expect(await read(ofDowntimes)).toEqual(found.filter((month) => month !== '2026-02')); // it ends in March
    return found;
  }

  async function reconcile(): Promise<Finding[]> {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    await noteUncompared(pool, { group: group.name, partition: 0 });
    await reconcilePartition({ group, partition: 0, goesOn: false, rest: () => Promise.resolve(), onFinding });
    return findings;
  }
});
