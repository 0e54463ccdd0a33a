import { Pool } from 'pg';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { SegmentFinding } from '@ledgerline/platform/intake-log/segment-chain';
import { hit } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { verifyIntakeLog, verifySegments } from './verify-segments';

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

  it('holds for what was written', async () => {
    expect(await verifySegments(pool, 0)).toEqual({ valid: true, segments: 5, events: 10 });
  });

  it('names a payload that is missing, of the newest segment too', async () => {
    expect(await afterwards('update intake_segments set payload = null where first_offset = 8')).toMatchObject(
      invalidAt(8, 'payload_missing'),
    );
    expect(await afterwards('update intake_segments set payload = null where first_offset = 4')).toMatchObject(
      invalidAt(4, 'payload_missing'),
    );
  });

  it('names a changed payload, also when its hash was changed with it', async () => {
    expect(
      await afterwards(`update intake_segments set payload = payload || '\\x00' where first_offset = 4`),
    ).toMatchObject(invalidAt(4, 'payload_changed'));
    expect(
      await afterwards('update intake_segments set payload_hash = sha256(payload) where first_offset = 4'),
    ).toMatchObject(invalidAt(4, 'header_changed'));
  });

  it.each([`types = '{Nothing}'`, 'min_at = min_at + 1', `recorded_at = recorded_at + interval '1 ms'`, 'size = 1'])(
    'names a changed header: %s',
    async (change) => {
      const verdict = await afterwards(`update intake_segments set ${change} where first_offset = 2`);
      expect(verdict).toMatchObject(invalidAt(2, 'header_changed'));
    },
  );

  it('names a dropped segment, in the middle and at the end', async () => {
    expect(await afterwards('delete from intake_segments where first_offset = 8')).toMatchObject(
      invalidAt(8, 'missing'),
    );
    expect(await afterwards('delete from intake_segments where first_offset = 4')).toMatchObject(
      invalidAt(4, 'missing'),
    );
  });

  it('names two segments that were swapped', async () => {
    const swap = `
      update intake_segments set first_offset = -1 where first_offset = 2;
      update intake_segments set first_offset = 2 where first_offset = 6;
      update intake_segments set first_offset = 6 where first_offset = -1`;
    expect(await afterwards(swap)).toMatchObject(invalidAt(2, 'header_changed'));
  });

  it('names an inserted segment', async () => {
    const insert = `
      insert into intake_segments
      select partition, 3, count, types, format, size, min_at, max_at, recorded_at, payload_hash, chain, payload
      from intake_segments where first_offset = 2`;
    expect(await afterwards(insert)).toMatchObject(invalidAt(3, 'inserted'));
  });

  it('names a head that was moved back or rewritten', async () => {
    expect(await afterwards(`update intake_heads set chain = sha256('x')`)).toMatchObject(
      invalidAt(10, 'head_changed'),
    );
    expect(await afterwards('update intake_heads set next_offset = 12')).toMatchObject(invalidAt(10, 'missing'));
  });

  it('names the only byte that was changed, wherever it is', async () => {
    const { rows } = await pool.query<{ length: number }>(
      'select length(payload) as length from intake_segments where first_offset = 6',
    );
    const { length } = rows[0]!;
    for (const byte of [0, Math.floor(length / 2), length - 1]) {
      const flip = `update intake_segments set payload = set_byte(payload, ${byte}, get_byte(payload, ${byte}) # 1)
        where first_offset = 6`;
      expect(await afterwards(flip)).toMatchObject(invalidAt(6, 'payload_changed'));
      expect(await afterwards(flip)).toMatchObject({ valid: true });
    }
    const flip =
      'update intake_segments set chain = set_byte(chain, 31, get_byte(chain, 31) # 1) where first_offset = 6';
    expect(await afterwards(flip)).toMatchObject(invalidAt(6, 'header_changed'));
  });

  it('is walked in pages, whatever is being written meanwhile', async () => {
    const sending = Array.from({ length: 40 }, (_, n) => log.send([hit(`more-${n}`)]));
    const progress: number[] = [];
    const verdict = await verifyIntakeLog(pool, { onProgress: (segments) => progress.push(segments) });
    await Promise.all(sending);
    expect(verdict.valid).toBe(true);
    expect(progress.at(-1)).toBe(verdict.segments);
    expect(await verifyIntakeLog(pool)).toMatchObject({ valid: true, events: 50 });
  });

  it('has no segment above its head', async () => {
    const copied = `insert into intake_segments
      select (jsonb_populate_record(s, '{"first_offset": 10}')).* from intake_segments s where first_offset = 0`;
    expect(await afterwards(copied)).toMatchObject(invalidAt(10, 'inserted'));
  });

  it('of every partition must hold, and have its head', async () => {
    await pool.query('update intake_log set partitions = 2');
    const missing = { partition: 1, offset: 0, finding: 'head_changed' };
    expect(await verifyIntakeLog(pool)).toMatchObject({ valid: false, segments: 5, firstInvalid: missing });
    await pool.query('insert into intake_heads (partition) values (1)');
    expect(await verifyIntakeLog(pool)).toMatchObject({ valid: true, segments: 5, events: 10 });
    await pool.query(
      'update intake_log set partitions = 1; update intake_heads set next_offset = 2 where partition = 1',
    );
    const dropped = { partition: 1, offset: 0, finding: 'missing' };
    expect(await verifyIntakeLog(pool)).toMatchObject({ valid: false, firstInvalid: dropped });
  });
});

const invalidAt = (offset: number, finding: SegmentFinding) => ({
  valid: false,
  firstInvalid: { partition: 0, offset, finding },
});
