import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';

/**
 * Waits until no process does the work of that name, and does it then; the lock ends with its connection.
 * @throws when another process works for longer than a statement may wait
 */
export async function alone<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await run(client, sql`select pg_advisory_lock(hashtext(${name}))`);
    return await work();
  } finally {
    client.release(true);
  }
}
