import type { Pool } from 'pg';
import { monitorDowntimes } from '@ledgerline/contracts/read-models/monitors';
import { readTransaction, run } from '@ledgerline/platform/database/pool';
import { instant, sql } from '@ledgerline/platform/database/sql';
import { onReadStore, type ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { liveTables, orRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import type { HistoryRange } from './read-happenings';

/** Two failed checks in a row or more; times in epoch ms. */
export interface MonitorDowntimeRow {
  /** The id of the monitor. */
  readonly id: string;
  readonly startedAt: number;
  /** Null = it goes on. */
  readonly endedAt: number | null;
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Downtimes that lie in a span of time, end with its beginning or reach into it, the newest first; none before there are
 * read models. @throws RebuildingProblem · ReadStoreUnavailable
 */
export async function readDowntimes(
  stores: ReadStores,
  ids: readonly string[],
  span: HistoryRange,
  limit: number,
): Promise<MonitorDowntimeRow[]> {
  const byPool = await stores.byPool(ids);
  const found = await Promise.all(
    [...byPool].map(([pool, own]) => onReadStore(() => readFrom(pool, own, span, limit))),
  );
  return found
    .flat()
    .sort((a, b) => b.startedAt - a.startedAt)
    .slice(0, limit);
}

const readFrom = (
  pool: Pool,
  ids: readonly string[],
  { from, to }: HistoryRange,
  limit: number,
): Promise<MonitorDowntimeRow[]> =>
  readTransaction(pool, SNAPSHOT, async (client) => {
    const tables = await liveTables(client, 'monitors');
    if (!tables) return [];
    const table = await orRebuilding(client, () => tables.wholeTable(monitorDowntimes));
    const rows = await run<{ id: string; startedAt: Date; endedAt: Date | null }>(
      client,
      sql`select monitor_id as id, started_at as "startedAt", ended_at as "endedAt" from ${table}
        where monitor_id = any(${ids}::text[]) and started_at < ${instant(to)}
          and (ended_at is null or ended_at >= ${instant(from)})
        order by started_at desc limit ${limit}`,
    );
    return rows.map(({ id, startedAt, endedAt }) => ({
      id,
      startedAt: startedAt.getTime(),
      endedAt: endedAt?.getTime() ?? null,
    }));
  });
