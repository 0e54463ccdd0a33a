import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Pool } from 'pg';
import { EVENT_STORE, POOL } from '../tokens';

export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  readonly eventStore: 'ok' | 'down';
  readonly database: 'ok' | 'down';
  readonly projections: readonly ProjectionReport[];
}

/** One group of projections, over all of its partitions. */
export interface ProjectionReport {
  readonly group: string;
  readonly version: number;
  readonly status: 'ok' | 'stopped';
  readonly events: number;
  /** Log time of the newest event all partitions together include. */
  readonly asOf: string | null;
  /** How long ago the slowest partition said that it is alive. */
  readonly lagMs: number;
}

const PATIENCE_MS = 2_000;

/** Whether this process can do its work. */
@Injectable()
export class Readiness {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async report(): Promise<ReadinessReport> {
    const [head, projections] = await Promise.all([
      answered(() => this.store.head(0)),
      answered(() => this.projections()),
    ]);
    const ok = head !== undefined && projections?.every(({ status }) => status === 'ok');
    return {
      status: ok ? 'ok' : 'unavailable',
      eventStore: head === undefined ? 'down' : 'ok',
      database: projections === undefined ? 'down' : 'ok',
      projections: projections ?? [],
    };
  }

  private projections(): Promise<ProjectionReport[]> {
    return run<ProjectionReport & Record<string, unknown>>(
      this.pool,
      sql`
        select projection_group as "group", version,
          case when bool_or(stopped is not null) then 'stopped' else 'ok' end as status,
          sum(events)::float8 as events,
          to_char(max(as_of) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "asOf",
          greatest(0, round(extract(epoch from clock_timestamp() - min(updated_at)) * 1000))::float8 as "lagMs"
        from projection_checkpoints c
        join projection_groups g on g.name = c.projection_group and g.live_version = c.version
        group by projection_group, version
        order by projection_group`,
    );
  }
}

/** Undefined when it fails or takes too long. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  const tooLate = new AbortController();
  const late = setTimeout(PATIENCE_MS, undefined, { signal: tooLate.signal }).catch(() => undefined);
  try {
    return await Promise.race([ask(), late]);
  } catch {
    return undefined;
  } finally {
    tooLate.abort();
  }
}
