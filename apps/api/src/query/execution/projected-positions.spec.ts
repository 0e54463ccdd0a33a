import { Pool } from 'pg';
import { useTopic } from '@ledgerline/kafka/topic-offsets';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { recordedAfter } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { ReadStores, WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import type { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { hit } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { ProjectedPositions, copiedPositions } from './projected-positions';

describe('waiting for positions', () => {
  it('is one poll for all who wait, and none when nobody does', async () => {
    const { positions, reads, put } = projected();
    put('websites', 1, '4');
    const waiting = Array.from({ length: 50 }, () => positions.include(at(1, 5), 'websites', ID[1]));
    await waitUntil(reads, (count) => count >= 3);
    put('websites', 1, '5');
    expect(await Promise.all(waiting)).toEqual(Array(50).fill(true));
    const before = reads();
    expect(before).toBeLessThan(50);
    expect(await positions.include({ observed: new Map(), until: 0 }, 'websites', ID[0])).toBe(true);
    expect(reads()).toBe(before);
  });

  it('is over at once where the position is included, for each group by itself', async () => {
    const { positions, put } = projected();
    put('links', 0, '9');
    expect(await positions.include(at(0, 9), 'links', ID[0])).toBe(true);
    expect(await positions.include(at(0, 9), 'websites', ID[0])).toBe(false);
  });

  it('is not for what another website was sent', async () => {
    const { positions, reads } = projected();
    expect(await positions.include(at(1, 9), 'websites', ID[0])).toBe(true);
    expect(reads()).toBe(0);
  });

  it('looks once when its time is over', async () => {
    const { positions, reads, put } = projected();
    put('links', 0, '9');
    expect(await positions.include(at(0, 9, 0), 'links', ID[0])).toBe(true);
    expect(await positions.include(at(0, 10, 0), 'links', ID[0])).toBe(false);
    expect(reads()).toBe(2);
  });

  it('fails when the checkpoints cannot be read, and works again afterwards', async () => {
    const { positions, put, fail } = projected();
    put('links', 0, '9');
    fail(new Error('away'));
    await expect(positions.include(at(0, 9), 'links', ID[0])).rejects.toThrow('away');
    fail(undefined);
    expect(await positions.include(at(0, 9), 'links', ID[0])).toBe(true);
  });
});

/** By the partition they are in, of two. */
const ID = ['link_3', 'link_1'] as const;

const at = (partition: number, offset: number, until = performance.now() + 2_000) => ({
  observed: new Map([[partition, offset]]),
  until,
});

/** Checkpoints in memory instead of in Postgres. */
function projected() {
  const rows = new Map<string, object>();
  let reads = 0;
  let failure: Error | undefined;
  const query = (text: string) => {
    if (text.includes('intake_log')) return Promise.resolve({ rows: [{ partitions: 2 }] });
    reads++;
    return failure ? Promise.reject(failure) : Promise.resolve({ rows: [...rows.values()] });
  };
  const pool = { query } as unknown as Pool; // nothing else of it is called
  const stores = new ReadStores([{ ...WHOLE_LOG_SHARE, pool, questions: pool }], pool);
  const positions = new ProjectedPositions(stores, {} as LiveRegistry, pool);
  return {
    positions,
    reads: () => reads,
    put: (group: string, partition: number, cursor: string) =>
      void rows.set(`${group} ${partition}`, { group, partition, cursor }),
    fail: (error: Error | undefined) => void (failure = error),
  };
}

describe('a position in Kafka', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    const log = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
    await log.send(['a', 'b', 'c'].map((name) => hit(name, { subject: 'site_A' })));
    await log.close();
    await useTopic(pool, 'hits');
    await pool.query('update intake_topic_offsets set next_offset = 8 where partition = $1', [await partition()]);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('becomes that of the segments when it is copied', async () => {
    const own = await partition();
    const until = performance.now() + 20_000;
    const observed = new Map([[own, 1]]);
    const found = await copiedPositions(pool, { observed, sent: new Map([[own, 7]]), until });
    expect(found).toEqual(new Map([[own, 2]]));
    const later = copiedPositions(pool, { observed: new Map(), sent: new Map([[own, 8]]), until });
    await pool.query('update intake_topic_offsets set next_offset = 9 where partition = $1', [own]);
    expect(await later).toEqual(new Map([[own, 2]]));
  });

  it('is not reached in time where it is not copied, or of no topic', async () => {
    const observed = new Map<number, number>();
    const until = performance.now();
    for (const sent of [new Map([[await partition(), 100]]), new Map([[77, 0]])])
      expect(await copiedPositions(pool, { observed, sent, until })).toBeUndefined();
    expect(await copiedPositions(pool, { observed, until })).toEqual(observed);
  });

  it('counts as waiting since everything before it was copied, once that is longer than copying takes', async () => {
    const waitingSince = async () => {
      const [row] = await run<{ at: Date | null }>(
        pool,
        sql`select ${recordedAfter(await partition(), sql`'2'`)} as at`,
      );
      return row?.at ?? null;
    };
    expect(await waitingSince()).toBeNull();
    const ago = new Date(Date.now() - 60_000);
    await pool.query('update intake_topic_offsets set caught_up_at = $1', [ago]);
    expect(await waitingSince()).toEqual(ago);
    await useTopic(pool, null);
    expect(await waitingSince()).toBeNull();
  });

  /** Returns the partition of the hits. */
  async function partition(): Promise<number> {
    const { rows } = await pool.query<{ partition: number }>(
      'select partition from intake_heads where next_offset > 0',
    );
    return rows[0]?.partition ?? 0;
  }
});
