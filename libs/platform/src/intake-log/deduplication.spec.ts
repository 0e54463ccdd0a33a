import type { Pool } from 'pg';
import { hit, readAll } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openPool } from '../database/pool';
import { maintainDeduplication } from './deduplication';
import type { IntakeItem, IntakeLog } from './intake-log';
import { openIntakeLog } from './postgres-intake-log';

describe('deduplication within 48 hours', () => {
  let database: TestDatabase;
  let pool: Pool;
  const logs: IntakeLog[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'spec', max: 4 });
  });
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
    await pool.end();
    await database.drop();
  });

  const openAt = async (clock: { time: string }) => {
    const log = await openIntakeLog({ databaseUrl: database.url, partitions: 1, now: () => new Date(clock.time) });
    logs.push(log);
    return log;
  };
  const days = async () => {
    const { rows } = await pool.query<{ tablename: string }>(
      `select tablename from pg_tables where schemaname = 'intake_seen' order by 1`,
    );
    return rows.map(({ tablename }) => tablename);
  };

  it('takes a hit for a duplicate for 48 hours, whatever time of day it is', async () => {
    for (const first of ['2026-03-10T00:00:00.000Z', '2026-03-20T00:59:59.999Z', '2026-03-28T23:59:59.999Z']) {
      const clock = { time: first };
      const log = await openAt(clock);
      expect((await log.send([hit(first)])).outcomes).toEqual(['stored']);
      for (const hours of [0.5, 1, 24, 25, 47.99, 48]) {
        clock.time = new Date(Date.parse(first) + hours * 3_600_000).toISOString();
        await maintainDeduplication(pool, new Date(clock.time));
        expect((await log.send([hit(first)])).outcomes).toEqual(['duplicate']);
      }
      clock.time = new Date(Date.parse(first) + 96 * 3_600_000).toISOString();
      expect((await log.send([hit(first)])).outcomes).toEqual(['stored']);
    }
  });

  it('is by batch where hits are sent as one, also twice in one flush', async () => {
    const log = await openAt({ time: '2026-03-10T12:00:00Z' });
    const batch = (name: string, dedupe: IntakeItem['dedupe'] = '48h') =>
      ['a', 'b', 'c'].map((n) => ({ ...hit(`${name}${n}`, { dedupe }), batch: name.repeat(32) }));
    const both = await Promise.all([log.send(batch('1')), log.send(batch('1', 'forever')), log.send([hit('x')])]);
    expect(both.map(({ outcomes }) => outcomes.join())).toEqual([
      'stored,stored,stored',
      'duplicate,duplicate,duplicate',
      'stored',
    ]);
    expect((await log.send([...batch('1', 'forever'), ...batch('2')])).outcomes.join()).toBe(
      'duplicate,duplicate,duplicate,stored,stored,stored',
    );
    expect(await readAll(log)).toHaveLength(7);
  });

  it('works for two sends at once on both sides of midnight', async () => {
    const before = await openAt({ time: '2026-03-10T23:59:59.999Z' });
    const after = await openAt({ time: '2026-03-11T00:00:00.001Z' });
    for (let n = 0; n < 40; n++) {
      const results = await Promise.all([before.send([hit(`${n}`)]), after.send([hit(`${n}`)])]);
      expect(results.flatMap(({ outcomes }) => outcomes).sort()).toEqual(['duplicate', 'stored']);
    }
  });

  it('waits for a send of yesterday that is still under way after midnight', async () => {
    await openAt({ time: '2026-03-10T23:59:00Z' });
    await openAt({ time: '2026-03-11T00:10:00Z' });
    const late = await pool.connect();
    await late.query('begin');
    const id = '00000000-0000-0000-0000-000000000001';
    const seen = `select intake_first_seen(array['${id}']::uuid[], '{}', $1)::text as fresh`;
    expect((await late.query<{ fresh: string }>(seen, ['2026-03-10T23:59:00Z'])).rows[0]?.fresh).toBe(`{${id}}`);
    const today = pool.query<{ fresh: string }>(seen, ['2026-03-11T00:10:00Z']);
    const isBlocked = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    await waitUntil(
      async () => (await pool.query(isBlocked)).rowCount,
      (blocked) => blocked === 1,
    );
    await late.query('commit');
    late.release();
    expect((await today).rows[0]?.fresh).toBe('{}');
  });

  it('drops old days and creates days ahead', async () => {
    await maintainDeduplication(pool, new Date('2026-03-10T12:00:00Z'));
    expect(await days()).toEqual(['2026-03-08', '2026-03-09', '2026-03-10', '2026-03-11', '2026-03-12', 'forever']);
    await maintainDeduplication(pool, new Date('2026-03-11T00:30:00Z'));
    expect(await days()).toContain('2026-03-08');
    await maintainDeduplication(pool, new Date('2026-03-11T01:00:00Z'));
    expect(await days()).toEqual(['2026-03-09', '2026-03-10', '2026-03-11', '2026-03-12', '2026-03-13', 'forever']);
  });

  it('makes a missing day itself when a send needs it', async () => {
    const clock = { time: '2026-03-10T12:00:00Z' };
    const log = await openAt(clock);
    clock.time = '2026-04-20T12:00:00Z';
    expect((await log.send([hit('a')])).outcomes).toEqual(['stored']);
    expect(await days()).toContain('2026-04-20');
  });
});
