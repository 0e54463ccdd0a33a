import fc from 'fast-check';
import { Pool } from 'pg';
import { forgeSegment } from '@test/intake-log/forge-segment';
import { hit, idsOf } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { verifySegments } from '../../../../scripts/audit/verify-segments';
import { BEGINNING, EpochChanged, LogTampered, type LogBatch } from '../log/log-reader';
import type { IntakeLog, LoggedHit } from './intake-log';
import { openIntakeLog } from './postgres-intake-log';

const SEGMENTS = 6;
const END = 2 * SEGMENTS;
const written = Array.from({ length: SEGMENTS }, (_, n) => [hit(`${n}-a`), hit(`${n}-b`)]);
const WRITTEN = written.flat().map(({ event }) => event.id);
const FORGED = [hit('forged'), hit('forged too')];

describe('a reader of the intake log', () => {
  it('never reads a segment above the head, and names it', async () => {
    await forgeSegment(pool, 0, END, FORGED);
    expect(await read({ max: 100 })).toEqual({ ids: [], failure: changed(END, INSERTED) });
    await pool.query('delete from intake_segments where first_offset = $1', [END]);
    expect(await read({ max: 100 })).toEqual({ ids: WRITTEN });
  });

  it('reads up to a segment that was inserted, and not past it', async () => {
    await forgeSegment(pool, 0, 5, FORGED);
    expect(await read({ max: 2 })).toEqual({ ids: WRITTEN.slice(0, 4), failure: changed(5, INSERTED) });
  });

  it('reads no changed payload, also when all of its own hashes were computed anew', async () => {
    await pool.query(`update intake_segments set payload = payload || '\\x00' where first_offset = 4`);
    expect(await read({ max: 2 })).toEqual({
      ids: WRITTEN.slice(0, 4),
      failure: changed(4, 'the payload of the segment was changed'),
    });
    await forgeSegment(pool, 0, 4, FORGED);
    expect(await read({ max: 2 })).toEqual({
      ids: WRITTEN.slice(0, 4),
      failure: changed(6, 'the header or the hash of the segment, or of the one before, was changed'),
    });
  });

  it('recognises that the newest segment is another one than it has read', async () => {
    const { next, digest } = await log.read(0, BEGINNING, { max: 100 });
    await forgeSegment(pool, 0, END - 2, FORGED);
    await pool.query(
      `update intake_heads set chain = (select chain from intake_segments order by first_offset desc limit 1)`,
    );
    expect(await verifySegments(pool, 0)).toMatchObject({ valid: true });
    await expect(log.read(0, next, { max: 100, digest })).rejects.toThrow(LogTampered);
    await log.send([hit('more')]);
    await expect(log.read(0, next, { max: 100, digest })).rejects.toThrow(
      changed(END - 1, 'the segments up to here are not those that were read or signed before'),
    );
  });

  it('recognises a log that was shortened and has grown past its cursor again', async () => {
    const { next, digest } = await log.read(0, BEGINNING, { max: 100 });
    await pool.query(`delete from intake_segments where first_offset = $1`, [END - 2]);
    await pool.query(
      `update intake_heads set next_offset = $1,
         chain = (select chain from intake_segments order by first_offset desc limit 1)`,
      [END - 2],
    );
    await expect(log.read(0, next, { max: 100, digest })).rejects.toThrow(EpochChanged);
    await log.send([hit('more-a'), hit('more-b')]);
    await log.send([hit('more-c')]);
    await expect(log.read(0, next, { max: 100, digest })).rejects.toThrow(LogTampered);
  });

  it('reads nothing at a cursor with the digest of another one: the checkpoint was moved', async () => {
    const { next, digest } = await log.read(0, BEGINNING, { max: 4 });
    for (const cursor of ['7', BEGINNING, `${END - 1}`])
      await expect(log.read(0, cursor, { max: 100, digest })).rejects.toThrow(/^The checkpoint was moved: /);
    expect(idsOf((await log.read(0, next, { max: 100, digest })).events)).toEqual(WRITTEN.slice(Number(next) + 1));
  });

  it('reads up to a segment whose payload is missing, whichever types it wants', async () => {
    await pool.query('update intake_segments set payload = null where first_offset = 4');
    const failure = changed(4, 'the payload of the segment is missing');
    expect(await read({ max: 2 })).toEqual({ ids: WRITTEN.slice(0, 4), failure });
    expect(await read({ max: 100 })).toEqual({ ids: WRITTEN.slice(0, 2), failure });
    expect(await read({ max: 2, types: ['LinkClicked'] })).toEqual({ ids: [], failure });
  });

  it('passes over segments that it does not want', async () => {
    expect(await read({ max: 2, types: ['LinkClicked'] })).toEqual({ ids: [] });
    await pool.query(`update intake_segments set types = '{LinkClicked}' where first_offset = 8`);
    expect((await read({ max: 2, types: ['LinkClicked'] })).failure).toMatch(/^The intake log is not what was written/);
  });

  it('reads nothing that was not written, whatever was changed wherever, and goes on when that is undone', async () => {
    await pool.query(
      'create table kept_segments as table intake_segments; create table kept_heads as table intake_heads',
    );
    const undo = () =>
      pool.query(`
        truncate intake_segments, intake_heads;
        insert into intake_segments table kept_segments; insert into intake_heads table kept_heads`);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TAMPERINGS),
        fc.nat(SEGMENTS - 1),
        fc.nat(SEGMENTS),
        fc.constantFrom(1, 2, 3, 5, 100),
        async (tamper, segment, segmentsRead, max) => {
          const before = segmentsRead === 0 ? undefined : await log.read(0, BEGINNING, { max: 2 * segmentsRead });
          await tamper(2 * segment);
          const { ids, failure } = await read({ max }, before);
          expect(WRITTEN.slice(before?.events.length ?? 0, (before?.events.length ?? 0) + ids.length)).toEqual(ids);
          if (segment >= segmentsRead) expect(failure).toBeDefined();
          await undo();
          expect((await read({ max }, before)).failure).toBeUndefined();
        },
      ),
      { seed: 24, numRuns: 40, endOnFailure: true },
    );
  });

  const update = (what: string) => async (offset: number) => {
    await pool.query(`update intake_segments set ${what} where first_offset = $1`, [offset]);
  };
  const TAMPERINGS: readonly ((offset: number) => Promise<unknown>)[] = [
    (offset) => pool.query('delete from intake_segments where first_offset = $1', [offset]),
    (offset) => forgeSegment(pool, 0, offset, FORGED),
    (offset) => forgeSegment(pool, 0, offset + 1, FORGED),
    (offset) => forgeSegment(pool, 0, END + offset, FORGED),
    update('payload = set_byte(payload, 9, get_byte(payload, 9) # 1)'),
    update('payload = null'),
    update('payload = payload || payload, payload_hash = sha256(payload || payload)'),
    update('chain = sha256(chain)'),
    update('types = $${A}$$'),
    update('min_at = min_at - 1'),
    update('count = count + 1'),
    update('first_offset = first_offset + 1'),
    (offset) => pool.query('update intake_heads set next_offset = $1', [offset]),
    () => pool.query('update intake_heads set next_offset = next_offset + 1'),
    () => pool.query(`update intake_heads set chain = sha256('x')`),
  ];

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    for (const hits of written) await log.send(hits);
  });
  afterEach(async () => {
    await log.close();
    await pool.end();
    await database.drop();
  });

  /** Everything behind a batch, or all, and why it could not go on. */
  async function read(
    options: { max: number; types?: readonly string[] },
    { next: after, digest: known }: Pick<LogBatch<LoggedHit>, 'next' | 'digest'> = { next: BEGINNING },
  ): Promise<{ ids: string[]; failure?: string }> {
    const ids: string[] = [];
    for (let next = after, digest = known, atHead = false; !atHead;) {
      try {
        const batch = await log.read(0, next, { ...options, digest });
        ids.push(...idsOf(batch.events));
        ({ next, digest, atHead } = batch);
      } catch (error) {
        if (error instanceof LogTampered || error instanceof EpochChanged) return { ids, failure: error.message };
        throw error;
      }
    }
    return { ids };
  }
});

const INSERTED = 'a segment was inserted: it overlaps the one before, or lies above the head';

const changed = (offset: number, why: string) =>
  `The intake log is not what was written: partition 0, offset ${offset}: ${why}.`;

describe('partitions that are read at the same moment', () => {
  it('bring what each of them brings alone, and fail alone', async () => {
    const database = await createTestDatabase();
    const pool = new Pool({ connectionString: database.url });
    const log = await openIntakeLog({ databaseUrl: database.url, partitions: PARTITIONS.length });
    for (let n = 0; n < 40; n++) await log.send([hit(`${n}`, { subject: `site_${n}` })]);
    const first: LogBatch<LoggedHit>[] = [];
    for (const partition of PARTITIONS) first.push(await log.read(partition, BEGINNING, { max: 3 }));
    const readOn = (partition: number, max: number) => {
      const { next, digest } = first[partition]!;
      return log.read(partition, next, { max, digest });
    };
    const alone: LogBatch<LoggedHit>[] = [];
    for (const partition of PARTITIONS) alone.push(await readOn(partition, 4));
    expect(await Promise.all(PARTITIONS.map((partition) => readOn(partition, 4)))).toEqual(alone);
    await pool.query('update intake_segments set chain = sha256(chain) where partition = 1');
    const both = await Promise.allSettled(PARTITIONS.flatMap((each) => [readOn(each, 4), readOn(each, 100)]));
    expect(both.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, false, true, true]);
    expect(both.filter((_, at) => at === 0 || at === 4)).toMatchObject([{ value: alone[0] }, { value: alone[2] }]);
    await Promise.all([log.close(), pool.end()]);
    await database.drop();
  });
});

const PARTITIONS = [0, 1, 2];
