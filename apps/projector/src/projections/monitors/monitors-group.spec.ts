import fc from 'fast-check';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { alertDecided } from '@test/events/alert-decided';
import { monitorCheck, randomChecks } from '@test/monitors/random-checks';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../../open-pool';
import { bind } from '../../runner/bound-group';
import { withVersionsLock } from '../../versions/change-layout';
import { openLiveVersion } from '../../versions/live-version';
import { createVersion } from '../../versions/version-tables';
import { monitorsGroup } from './monitors-group';

describe('the projections of a monitor', () => {
  it('hold its checks by 15 minutes and by day, its state, and its downtimes', async () => {
    const at = (minute: number) => START + minute * 60_000;
    await project(2, [
      monitorCheck('mon_a', at(0), { durationMs: 30 }),
      monitorCheck('mon_a', at(14), { up: false, durationMs: 10_000, failure: 'timeout' }),
      monitorCheck('mon_a', at(15), { up: false, durationMs: 10_000, failure: 'timeout' }),
      monitorCheck('mon_a', at(16), { up: true, durationMs: 50 }),
      monitorCheck('mon_a', at(17), { up: false, maintenance: true, detail: 'No.', certificateExpiresAt: at(99) }),
      monitorCheck('mon_a', at(13), { warning: 'slow' }),
    ]);
    expect(await rows('monitor_checks_15min', 'span, start_15min')).toMatchObject([
      { span: 1, start_15min: new Date(at(0)), checks: '3', failed: '1', duration_ms: '50' },
      { span: 1, start_15min: new Date(at(15)), checks: '2', failed: '1', duration_ms: '50' },
      { span: 96, start_15min: new Date(at(0)), checks: '5', failed: '2', duration_ms: '100' },
    ]);
    expect(await rows('monitor_states', 'monitor_id')).toMatchObject([
      { last_at: new Date(at(17)), up: false, failures: 0, failing_since: null },
    ]);
    expect(await rows('monitor_results', 'monitor_id')).toEqual([
      { monitor_id: 'mon_a', warning: null, detail: 'No.', certificate_expires_at: new Date(at(99)) },
    ]);
    expect(await rows('monitor_downtimes', 'started_at')).toEqual([
      { monitor_id: 'mon_a', started_at: new Date(at(14)), ended_at: new Date(at(16)) },
    ]);
  });

  it('hold what alerts decided, however often it is delivered', async () => {
    const fired = alertDecided('alr_a', START, { usual: 40.5 });
    await project(2, [fired, alertDecided('alr_a', START + 60_000, { outcome: 'blind', figure: null, why: 'behind' })]);
    await project(2, [fired]);
    expect(await rows('alert_decisions', 'ended_at')).toMatchObject([
      { alert_id: 'alr_a', id: fired.id, outcome: 'fired', ended_at: new Date(START), figure: 12, usual: 40.5 },
      { outcome: 'blind', figure: null, why: 'behind', as_of: new Date(START + 180_000), windows: 1 },
    ]);
  });

  it('are the same whatever the pieces, and however often a batch is delivered', async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    const checks = randomChecks(START, (n) => `mon_${n}_${round}`);
    const property = fc.asyncProperty(checks, pieces, async (events, sizes) => {
      round++;
      const own = events.map((event) => ({
        ...event,
        data: { ...event.data, monitorId: `${event.data.monitorId}_${round}` },
      }));
      await project(2, own);
      let at = 0;
      await project(3, own, () => sizes[at++ % sizes.length]!, 2);
      expect(await compareVersions(pool, group(new MemoryLog()), 2, 3)).toEqual([]);
    });
    await fc.assert(property, { seed: 27, numRuns: 12 });
  }, 60_000);

  let database: TestDatabase;
  let pool: Pool;
  let round = 0;
  const group = (log: MemoryLog) => bind(monitorsGroup(), log, pool);

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const log = new MemoryLog();
    await openLiveVersion(pool, group(log), log);
    for (const version of [2, 3]) {
      await withVersionsLock(pool, (client) => createVersion(client, group(log), version, log));
    }
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const rows = (table: string, by: string) =>
    run<Record<string, unknown>>(pool, { text: `select * from monitors_v2.${table} order by ${by}`, values: [] });

  async function project(version: number, events: readonly ObservedEvent[], piece = () => Infinity, processes = 1) {
    const log = new MemoryLog(events, piece);
    await run(pool, sql`update projection_checkpoints set cursor = '' where version = ${version}`);
    const runners = Array.from({ length: processes }, () => group(log).runner({ partition: 0, batch: 1000, version }));
    const stepAll = async () => {
      const steps: string[] = [];
      for (const runner of runners) steps.push(await runner.step());
      return steps;
    };
    await waitUntil(stepAll, (steps) => steps.every((step) => step === 'idle'));
  }
});

const START = Date.parse('2026-05-04T00:00:00Z');
