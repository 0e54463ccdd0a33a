import { openPool } from '@ledgerline/platform/database/pool';
import { offsetOf, readHeads } from '@ledgerline/platform/intake-log/intake-log-tables';

/** How many events the intake log holds. */
export async function storedEvents(databaseUrl: string): Promise<number> {
  const pool = openPool({ url: databaseUrl, name: 'bench-count', max: 1 });
  try {
    const heads = await readHeads(pool);
    return [...heads.values()].reduce((events, head) => events + offsetOf(head) + 1, 0);
  } finally {
    await pool.end();
  }
}
