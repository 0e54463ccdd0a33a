import { readCopying } from '@ledgerline/kafka/copying';
import { openPool } from '@ledgerline/platform/database/pool';
import { waitUntil } from '../wait-until';

/** Waits until the intake log has everything that is in Kafka; at once where hits are not sent there. */
export async function untilCopied(databaseUrl: string): Promise<void> {
  const pool = openPool({ url: databaseUrl, name: 'onlooker', max: 1 });
  const since = Date.now();
  try {
    await waitUntil(async () => {
      const { rows } = await pool.query<{ at: Date }>('select min(caught_up_at) as at from intake_topic_offsets');
      const copying = await readCopying(pool);
      return copying.length === 0 || (rows[0]?.at.getTime() ?? 0) > since;
    });
  } finally {
    await pool.end();
  }
}
