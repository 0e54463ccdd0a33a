import type { Pool } from 'pg';
import { monitorChecks15min, monitorDowntimes } from '@ledgerline/contracts/read-models/monitors';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { MONITOR_RESULTS } from '@ledgerline/platform/monitors/monitor-states';
import type { MaintenanceTask } from '../runner/group-work';
import { reviseVersions } from '../runner/parked-events';

const DAY_MS = 86_400_000;
const SINCE = `coalesce((select until from expirations where website_id = '${MONITOR_RESULTS}'), '-infinity')`;

/** The rows that are kept of a table, where others are deleted. */
const KEPT: Readonly<Record<string, string>> = {
  [monitorChecks15min.name]: `start_15min >= ${SINCE}`,
  [monitorDowntimes.name]: `coalesce(ended_at, 'infinity') >= ${SINCE}`,
};

/** What is compared of a table (quoted): rows that are too old may be deleted, or not yet. */
export const keptRows = ({ name }: ReadModel, table: string): string =>
  KEPT[name] === undefined ? table : `(select * from ${table} where ${KEPT[name]}) kept`;

/** Deletes results of monitors that are older than so many days, once a day. */
export function droppingOldResults(stores: readonly { readonly pool: Pool }[], days: number): MaintenanceTask {
  let droppedOn = '';
  const drop = async (_: Pool, now: Date): Promise<void> => {
    const today = now.toISOString().slice(0, 10);
    if (today === droppedOn) return;
    for (const { pool } of stores) await dropOldResults(pool, days, now);
    droppedOn = today;
  };
  return { name: 'drop old results of monitors', run: drop };
}

/**
 * Deletes what is older in all versions of a read store, a month of UTC at a time, so that seldom a monitor is compared
 * anew. What is deleted stays so where the time is made longer.
 */
export async function dropOldResults(store: Pool, days: number, now: Date): Promise<void> {
  const last = new Date(now.getTime() - days * DAY_MS);
  const until = new Date(Date.UTC(last.getUTCFullYear(), last.getUTCMonth(), 1)).toISOString();
  const deleted = await transaction(store, async (client) => {
    await run(
      client,
      sql`insert into expirations as known (website_id, before, until, rollups)
          values (${MONITOR_RESULTS}, ${until.slice(0, 10)}::date, ${until}::timestamptz, '{}')
          on conflict (website_id) do update set before = excluded.before, until = excluded.until
            where known.until < excluded.until`,
    );
    let rows = 0;
    for (const { name, version } of await readStoredTables(client, 'monitors')) {
      const kept = KEPT[name];
      if (kept === undefined) continue;
      const table = identifier(schemaOf('monitors', version), name).text;
      const text = `with gone as (delete from ${table} where not ${kept} returning 1) select count(*)::float8 as rows from gone`;
      rows += (await run<{ rows: number }>(client, { text, values: [] }))[0]?.rows ?? 0;
    }
    return rows;
  });
  if (deleted > 0) await reviseVersions(store, 'monitors', null); // answers that are kept are counted anew
}
