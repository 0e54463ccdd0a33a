import type { Pool } from 'pg';
import { transaction } from '../database/pool';

/**
 * Destroys the salts whose period ended 48 hours ago and resolves with how many; their visitors cannot be linked to
 * anything afterwards. One process at a time: while another does it, 0.
 */
export async function destroyExpiredSalts(pool: Pool, now: Date): Promise<number> {
  return transaction(pool, async (client) => {
    const lock = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('ledgerline salts')) as mine`,
    );
    if (!lock.rows[0]?.mine) return 0;
    const { rowCount } = await client.query('delete from salts where dies_at <= $1', [now]);
    return rowCount ?? 0;
  });
}
