import { openPool } from '@ledgerline/platform/database/pool';

/** How many events the intake log holds. */
export async function storedEvents(databaseUrl: string): Promise<number> {
  const pool = openPool({ url: databaseUrl, name: 'bench-count', max: 1 });
  try {
    const { rows } = await pool.query<{ events: string }>(
      'select coalesce(sum(count), 0) as events from intake_segments',
    );
    return Number(rows[0]?.events ?? 0);
  } finally {
    await pool.end();
  }
}
