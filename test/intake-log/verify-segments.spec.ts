import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { hit } from './hits.fixture';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { verifySegments } from './verify-segments';

describe('the chain of segments', () => {
  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    // segments at 0, 2, 4, 6, 8
    for (let n = 0; n < 5; n++) await log.send([hit(`${n}-a`), hit(`${n}-b`)]);
  });
  afterEach(async () => {
    await log.close();
    await pool.end();
    await database.drop();
  });

  const afterwards = async (change: string) => {
    await pool.query(change);
    return verifySegments(pool, 0);
  };

  it('holds for what was written, also once retention has taken a payload', async () => {
    expect(await verifySegments(pool, 0)).toMatchObject({ valid: true, segments: 5, events: 10 });
    expect(await afterwards('update intake_segments set payload = null where first_offset = 4')).toMatchObject({
      valid: true,
    });
  });

  it('names a changed payload, also when its hash was changed with it', async () => {
    expect(await afterwards(`update intake_segments set payload = payload || '\\x00' where first_offset = 4`)).toEqual({
      valid: false,
      offset: 4,
      reason: 'payload_changed',
    });
    expect(
      await afterwards('update intake_segments set payload_hash = sha256(payload) where first_offset = 4'),
    ).toEqual({
      valid: false,
      offset: 4,
      reason: 'header_changed',
    });
  });

  it.each([`types = '{Nothing}'`, 'min_at = min_at + 1', `recorded_at = recorded_at + interval '1 ms'`, 'size = 1'])(
    'names a changed header: %s',
    async (change) => {
      const verdict = await afterwards(`update intake_segments set ${change} where first_offset = 2`);
      expect(verdict).toEqual({ valid: false, offset: 2, reason: 'header_changed' });
    },
  );

  it('names a dropped segment, in the middle and at the end', async () => {
    expect(await afterwards('delete from intake_segments where first_offset = 8')).toMatchObject({
      offset: 8,
      reason: 'missing',
    });
    expect(await afterwards('delete from intake_segments where first_offset = 4')).toMatchObject({
      offset: 4,
      reason: 'missing',
    });
  });

  it('names two segments that were swapped', async () => {
    const swap = `
      update intake_segments set first_offset = -1 where first_offset = 2;
      update intake_segments set first_offset = 2 where first_offset = 6;
      update intake_segments set first_offset = 6 where first_offset = -1`;
    expect(await afterwards(swap)).toEqual({ valid: false, offset: 2, reason: 'header_changed' });
  });

  it('names an inserted segment', async () => {
    const insert = `
      insert into intake_segments
      select partition, 3, count, types, format, size, min_at, max_at, recorded_at, payload_hash, chain, payload
      from intake_segments where first_offset = 2`;
    expect(await afterwards(insert)).toEqual({ valid: false, offset: 3, reason: 'inserted' });
  });

  it('names a head that was moved back or rewritten', async () => {
    expect(await afterwards(`update intake_heads set chain = sha256('x')`)).toMatchObject({ reason: 'head_changed' });
    expect(await afterwards('update intake_heads set next_offset = 12')).toMatchObject({
      offset: 10,
      reason: 'missing',
    });
  });
});
