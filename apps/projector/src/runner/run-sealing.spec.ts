import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { customEvent } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { openLiveVersion } from '../versions/live-version';
import { bind, type BoundGroup } from './bound-group';
import { runSealing } from './group-work';
import { sealingMetrics } from './observers';

describe('the sealing of days in a projector', () => {
  it('seals what is quiet in the live version, logs it once, and counts the days', async () => {
    await run(
      pool,
      sql`update websites_v1.session_day_states set changed_at = now() - interval '10 minutes' where day < '2026-05-07'`,
    );
    const metrics = new Metrics();
    const observer = sealingMetrics(metrics);
    await sealUntil(() => lines.length > 0, observer);
    expect(lines).toEqual([expect.objectContaining({ level: 'info', msg: 'days of sessions were sealed', days: 3 })]);
    const text = await metrics.text();
    expect(text).toContain('ledgerline_session_days{store="1",state="sealed"} 3');
    expect(text).toContain('ledgerline_session_days{store="1",state="open"} 2');
    expect(text).toMatch(/ledgerline_session_days_unsealed_seconds\{store="1"\} \d{6,}/);
    expect(text).toContain('ledgerline_session_day_sealing_duration_seconds_count{result="sealed"} 3');
  });

  it('writes nothing into tables of another program, and says so', async () => {
    await run(pool, sql`comment on table websites_v1.sessions is 'another'`);
    await sealUntil(() => lines.length > 0);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'days of sessions cannot be sealed; trying again' }),
    ]);
    expect(await run(pool, sql`select from websites_v1.session_days`)).toEqual([]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let group: BoundGroup;
  let lines: { readonly level: string; readonly msg: string }[];

  beforeEach(async () => {
    lines = [];
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
    const log = new MemoryLog(Array.from({ length: 5 }, (_, n) => customEvent('site_1', n * 86_400)));
    group = bind(new WebsitesGroup(pool), log, pool);
    await openLiveVersion(pool, group, log);
    const live = group.runner({ partition: 0, batch: 10, version: 1 });
    await waitUntil(
      () => live.step(),
      (step) => step !== 'moved',
    );
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function sealUntil(isDone: () => boolean, observer?: ReturnType<typeof sealingMetrics>): Promise<void> {
    const stopping = new AbortController();
    const logger = createLogger('projector', 'info', { write: (line) => lines.push(JSON.parse(line) as never) });
    const sealing = runSealing({ group, logger, signal: stopping.signal, observer });
    await waitUntil(isDone);
    stopping.abort();
    await sealing;
  }
});
