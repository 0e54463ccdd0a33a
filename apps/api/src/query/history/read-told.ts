import type { Pool } from 'pg';
import { alertDecisions } from '@ledgerline/contracts/read-models/alerts';
import { readTransaction, run } from '@ledgerline/platform/database/pool';
import { instant, sql } from '@ledgerline/platform/database/sql';
import { onReadStore, type ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { liveTables, orRebuilding } from '@ledgerline/platform/table-versions/live-tables';
import type { HistoryRange } from './read-happenings';

/** A beginning that an alert told; times in epoch ms. */
export interface ToldRow {
  readonly id: string;
  readonly alertId: string;
  /** The end of the window. */
  readonly at: number;
  /** The end of the window that told that it was over; null = it goes on. */
  readonly until: number | null;
  readonly figure: number | null;
  readonly usual: number | null;
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Beginnings that lie in a span of time or reach into it, the newest first; none before there are read models. @throws
 * RebuildingProblem · ReadStoreUnavailable
 */
export async function readTold(
  stores: ReadStores,
  alertIds: readonly string[],
  span: HistoryRange,
  limit: number,
): Promise<ToldRow[]> {
  const byPool = await stores.byPool(alertIds);
  const found = await Promise.all(
    [...byPool].map(([pool, own]) => onReadStore(() => readFrom(pool, own, span, limit))),
  );
  return found
    .flat()
    .sort((a, b) => b.at - a.at)
    .slice(0, limit);
}

const readFrom = (
  pool: Pool,
  alertIds: readonly string[],
  { from, to }: HistoryRange,
  limit: number,
): Promise<ToldRow[]> =>
  readTransaction(pool, SNAPSHOT, async (client) => {
    const tables = await liveTables(client, 'monitors');
    if (!tables) return [];
    const table = await orRebuilding(client, () => tables.wholeTable(alertDecisions));
    const rows = await run<Omit<ToldRow, 'at' | 'until'> & { at: Date; until: Date | null }>(
      client,
      sql`select id, alert_id as "alertId", ended_at as at, until, figure, usual from ${table} as fired,
          lateral (select min(ended_at) as until from ${table} as later
            where later.alert_id = fired.alert_id and later.outcome = 'over' and later.ended_at > fired.ended_at) as over
        where alert_id = any(${alertIds}::text[]) and outcome = 'fired' and ended_at < ${instant(to)}
          and (ended_at >= ${instant(from)} or until > ${instant(from)})
        order by ended_at desc limit ${limit}`,
    );
    return rows.map((row) => ({ ...row, at: row.at.getTime(), until: row.until?.getTime() ?? null }));
  });
