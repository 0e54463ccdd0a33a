import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';

/** What the parts of a running product call connections that no tool has. */
const NAMES = ['api', 'accounts', 'projector', 'intake-write', 'intake-listen'].map((name) => `ledgerline-${name}`);

/** Whether a product uses this database at the moment, wherever it runs and whatever it calls the server. */
export async function isInUse(pool: Pool): Promise<boolean> {
  const connections = await run(
    pool,
    sql`select from pg_stat_activity
        where datname = current_database() and application_name = any(${NAMES}::text[]) limit 1`,
  );
  return connections.length > 0;
}
