import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { recordedAfter } from '@ledgerline/platform/intake-log/intake-log-tables';
import { useTopic } from '@ledgerline/platform/intake-log/kafka/topic-offsets';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Pool } from 'pg';
import { hit } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { copiedPositions } from './projected-positions';

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

  /** That of the hits. */
  async function partition(): Promise<number> {
    const { rows } = await pool.query<{ partition: number }>(
      'select partition from intake_heads where next_offset > 0',
    );
    return rows[0]?.partition ?? 0;
  }
});
