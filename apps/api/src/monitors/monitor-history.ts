import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/blocks';
import { schemaOf, type Group } from '@ledgerline/contracts/read-models/groups';
import { monitorChecks15min, monitorDowntimes, type MonitorState } from '@ledgerline/contracts/read-models/monitors';
import type { Downtime } from '@ledgerline/domain/monitors/downtime';
import { readTransaction, run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { readMonitorStates } from '@ledgerline/platform/monitors/monitor-states';
import { onReadStore } from '@ledgerline/platform/read-stores/read-store';
import type { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import type { Pool } from 'pg';

/** The checks of a day of UTC. */
export interface MonitorDay {
  readonly id: string;
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly checks: number;
  readonly failed: number;
  /** Of checks that did not fail: the sum in ms, and the stored histogram. */
  readonly durationMs: number;
  readonly durations: Buffer;
}

/** Two failed checks in a row or more; times in epoch ms. */
export interface MonitorDowntime extends Downtime {
  readonly id: string;
}

export interface MonitorHistory {
  readonly states: ReadonlyMap<string, MonitorState>;
  /** That began since the day, or go on; the oldest first. */
  readonly downtimes: readonly MonitorDowntime[];
  readonly days: readonly MonitorDay[];
}

const GROUP: Group = 'monitors';
const SNAPSHOT = 'begin isolation level repeatable read read only';

/** What the read models hold of monitors since a day (`YYYY-MM-DD`); nothing before there are any. @throws ReadStoreUnavailable */
export async function readMonitorHistory(
  stores: ReadStores,
  ids: readonly string[],
  since: string,
): Promise<MonitorHistory> {
  const byStore = new Map<Pool, string[]>();
  for (const id of ids) {
    const { pool } = (await stores.locate(id)).store;
    byStore.set(pool, [...(byStore.get(pool) ?? []), id]);
  }
  const found = await Promise.all([...byStore].map(([pool, own]) => onReadStore(() => read(pool, own, since))));
  return {
    states: new Map(found.flatMap(({ states }) => [...states])),
    downtimes: found.flatMap(({ downtimes }) => downtimes),
    days: found.flatMap(({ days }) => days),
  };
}

const read = (pool: Pool, ids: readonly string[], since: string): Promise<MonitorHistory> =>
  readTransaction(pool, SNAPSHOT, async (client) => {
    const [group] = await run<{ live: number }>(
      client,
      sql`select live_version as live from projection_groups where name = ${GROUP}`,
    );
    if (!group) return { states: new Map(), downtimes: [], days: [] };
    const schema = schemaOf(GROUP, group.live);
    return {
      states: await readMonitorStates(client, schema, ids),
      downtimes: await downtimesOf(client, schema, ids, since),
      days: await daysOf(client, schema, ids, since),
    };
  });

async function downtimesOf(on: Queryable, schema: string, ids: readonly string[], since: string) {
  const rows = await run<{ id: string; startedAt: Date; endedAt: Date | null }>(
    on,
    sql`select monitor_id as id, started_at as "startedAt", ended_at as "endedAt"
      from ${identifier(schema, monitorDowntimes.name)}
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

const daysOf = (on: Queryable, schema: string, ids: readonly string[], since: string) =>
  run<MonitorDay & Record<string, unknown>>(
    on,
    sql`select monitor_id as id, to_char(start_15min at time zone 'UTC', 'YYYY-MM-DD') as date, checks::float8 as checks,
        failed::float8 as failed, duration_ms::float8 as "durationMs", array_send(durations) as durations
      from ${identifier(schema, monitorChecks15min.name)}
      where monitor_id = any(${ids}::text[]) and span = ${INTERVALS_PER_DAY}
        and start_15min >= ${`${since}T00:00:00Z`}::timestamptz
      order by monitor_id, start_15min`,
  );
