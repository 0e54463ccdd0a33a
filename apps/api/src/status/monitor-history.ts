import type { Pool } from 'pg';
import {
  monitorChecks15min,
  monitorDowntimes,
  monitorResults,
  monitorStates,
  type MonitorResult,
  type MonitorState,
} from '@ledgerline/contracts/read-models/monitors';
import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/time-blocks';
import type { Downtime } from '@ledgerline/domain/monitors/status';
import { readTransaction, run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { readMonitorStates } from '@ledgerline/platform/monitors/monitor-states';
import { type ReadStores, onReadStore } from '@ledgerline/platform/read-stores/read-stores';
import {
  liveTables,
  orRebuilding,
  TableRebuilding,
  type LiveTables,
} from '@ledgerline/platform/table-versions/live-tables';

/** The checks of a day of UTC. */
export interface MonitorDay {
  readonly id: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly checks: number;
  readonly failed: number;
  /** The durations of checks that did not fail: the sum in ms, and the stored histogram. */
  readonly durationMs: number;
  readonly durations: Buffer;
}

/** Two failed checks in a row or more; times in epoch ms. */
interface MonitorDowntime extends Downtime {
  readonly id: string;
}

interface MonitorHistory {
  readonly states: ReadonlyMap<string, MonitorState>;
  /** The results of newest checks; none while the table is filled for the first time. */
  readonly results: ReadonlyMap<string, MonitorResult>;
  /** The downtimes that began since the day, or go on; the oldest first. */
  readonly downtimes: readonly MonitorDowntime[];
  readonly days: readonly MonitorDay[];
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Returns what the read models hold of monitors since a day (`YYYY-MM-DD`); nothing before there are any. @throws
 * ReadStoreUnavailable
 */
export async function readMonitorHistory(
  stores: ReadStores,
  ids: readonly string[],
  since: string,
): Promise<MonitorHistory> {
  const byStore = await stores.byPool(ids);
  const found = await Promise.all([...byStore].map(([pool, own]) => onReadStore(() => read(pool, own, since))));
  return {
    states: new Map(found.flatMap(({ states }) => [...states])),
    results: new Map(found.flatMap(({ results }) => [...results])),
    downtimes: found.flatMap(({ downtimes }) => downtimes),
    days: found.flatMap(({ days }) => days),
  };
}

const read = (pool: Pool, ids: readonly string[], since: string): Promise<MonitorHistory> =>
  readTransaction(pool, SNAPSHOT, async (client) => {
    const tables = await liveTables(client, 'monitors');
    if (!tables) return { states: new Map(), results: new Map(), downtimes: [], days: [] };
    return orRebuilding(client, async () => ({
      states: await readMonitorStates(client, tables.wholeTable(monitorStates), ids),
      results: await resultsOf(client, tables, ids),
      downtimes: await downtimesOf(client, tables.wholeTable(monitorDowntimes), ids, since),
      days: await daysOf(client, tables.wholeTable(monitorChecks15min), ids, since),
    }));
  });

async function resultsOf(on: Queryable, tables: LiveTables, ids: readonly string[]) {
  let table: Sql;
  try {
    table = tables.wholeTable(monitorResults);
  } catch (error) {
    if (error instanceof TableRebuilding) return new Map<string, MonitorResult>();
    throw error;
  }
  const rows = await run<{ id: string; expiresAt: Date | null } & Pick<MonitorResult, 'warning' | 'detail'>>(
    on,
    sql`select monitor_id as id, warning, detail, certificate_expires_at as "expiresAt"
      from ${table} where monitor_id = any(${ids}::text[])`,
  );
  return new Map(
    rows.map(({ id, expiresAt, ...result }) => [id, { ...result, certificateExpiresAt: expiresAt?.getTime() ?? null }]),
  );
}

async function downtimesOf(on: Queryable, table: Sql, ids: readonly string[], since: string) {
  const rows = await run<{ id: string; startedAt: Date; endedAt: Date | null }>(
    on,
    sql`select monitor_id as id, started_at as "startedAt", ended_at as "endedAt"
      from ${table}
      where monitor_id = any(${ids}::text[])
        and (ended_at is null or started_at >= ${`${since}T00:00:00Z`}::timestamptz)
      order by started_at`,
  );
  return rows.map(({ id, startedAt, endedAt }) => ({
    id,
    startedAt: startedAt.getTime(),
    endedAt: endedAt?.getTime() ?? null,
  }));
}

const daysOf = (on: Queryable, table: Sql, ids: readonly string[], since: string) =>
  run<MonitorDay & Record<string, unknown>>(
    on,
    sql`select monitor_id as id, to_char(start_15min at time zone 'UTC', 'YYYY-MM-DD') as date, checks::float8 as checks,
        failed::float8 as failed, duration_ms::float8 as "durationMs", array_send(durations) as durations
      from ${table}
      where monitor_id = any(${ids}::text[]) and span = ${INTERVALS_PER_DAY}
        and start_15min >= ${`${since}T00:00:00Z`}::timestamptz
      order by monitor_id, start_15min`,
  );
