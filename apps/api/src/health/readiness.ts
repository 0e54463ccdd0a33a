import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { run } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { readSealingFaults, type FaultRow } from '@ledgerline/platform/event-store/sealing-faults';
import { recordedAfter } from '@ledgerline/platform/intake-log/intake-log-tables';
import { INTAKE_LOG } from '@ledgerline/platform/intake-log/segment-chain';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool } from 'pg';
import { EVENT_STORE, HEALTH_POOL } from '../tokens';
import { readCopierReport, type CopierReport } from './copier-report';

export interface ReadinessReport {
  readonly status: 'ok' | 'unavailable';
  /** Why not, where the rest does not show it. */
  readonly reason?: string;
  readonly eventStore: 'ok' | 'down';
  readonly database: 'ok' | 'down';
  readonly projections: readonly ProjectionReport[];
  /** Absent when hits are not sent to Kafka. */
  readonly copier?: CopierReport;
  /** Organizations whose events are not sealed, the oldest such first; absent when there are none. */
  readonly sealing?: readonly FaultRow[];
}

/** One group of projections, over all of its partitions. */
interface ProjectionReport {
  readonly group: string;
  readonly version: number;
  readonly status: 'ok' | 'stopped';
  /** Why it is stopped, where the intake log is the cause; other errors may quote data. */
  readonly reason?: string;
  readonly events: number;
  /** Log time of the newest event that is included. */
  readonly asOf: string | null;
  /** How long the oldest event that is not included has been waiting; 0 = everything is included. */
  readonly lagMs: number;
}

type Row = Omit<ProjectionReport, 'lagMs' | 'reason'> & {
  readonly reason: string | null;
  readonly cursor: Cursor;
  readonly idleMs: number;
  readonly waitingMs: number;
};

const TIMEOUT_MS = 2_000;
const MAX_FAULTS = 100;

/** Whether this process can do its work. */
@Injectable()
export class Readiness {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(HEALTH_POOL) private readonly pool: Pool,
  ) {}

  async report(): Promise<ReadinessReport> {
    const [head, rows, faults, copier] = await Promise.all([
      withinTimeout(() => this.store.head(0)),
      withinTimeout(() => this.projections()),
      withinTimeout(() => readSealingFaults(this.pool, MAX_FAULTS)),
      withinTimeout(() => readCopierReport(this.pool)),
    ]);
    const projections = rows?.map((row) => this.asReport(row, head));
    const isStarted = projections === undefined || projections.length > 0;
    const isProjected = isStarted && projections?.every(({ status }) => status === 'ok');
    const ok = head !== undefined && isProjected && copier?.status !== 'stopped';
    return {
      status: ok ? 'ok' : 'unavailable',
      ...(isStarted ? {} : { reason: 'the projector has not started yet' }),
      eventStore: head === undefined ? 'down' : 'ok',
      database: projections === undefined ? 'down' : 'ok',
      projections: projections ?? [],
      ...(copier ? { copier } : {}),
      ...(faults && faults.length > 0 ? { sealing: faults } : {}),
    };
  }

  /** Whether both stores respond. */
  async hasStores(): Promise<boolean> {
    const { eventStore, database } = await this.report();
    return eventStore === 'ok' && database === 'ok';
  }

  /** The age of waiting hits is read from the intake log; for the event store it is the time since the checkpoint moved. */
  private asReport({ cursor, idleMs, waitingMs, reason, ...row }: Row, head: Cursor | undefined): ProjectionReport {
    const report = reason === null ? row : { ...row, reason };
    if (report.group !== 'registry') return { ...report, lagMs: waitingMs };
    const isBehind = head !== undefined && this.store.compare(cursor, head) < 0;
    return { ...report, lagMs: isBehind ? idleMs : 0 };
  }

  private projections(): Promise<Row[]> {
    return run<Row>(
      this.pool,
      sql`
        select projection_group as "group", version,
          case when bool_or(stopped is not null) then 'stopped' else 'ok' end as status,
          min(stopped) filter (where stopped like ${`${INTAKE_LOG} %`}) as reason, sum(events)::float8 as events,
          to_char(max(as_of) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "asOf",
          max(cursor) as cursor,
          ${milliseconds(sql`min(updated_at)`)} as "idleMs", ${milliseconds(sql`min(waiting.since)`)} as "waitingMs"
        from projection_checkpoints c
        join projection_groups g on g.name = c.projection_group and g.live_version = c.version
        left join lateral (
          select case when c.projection_group <> 'registry' then ${waitingSince} end as since
        ) waiting on true
        group by projection_group, version
        order by projection_group`,
    );
  }
}

const waitingSince = recordedAfter(sql`c.partition`, sql`c.cursor`);

/** How long ago that was; 0 when there is no such time. */
const milliseconds = (since: Sql): Sql =>
  sql`coalesce(greatest(0, round(extract(epoch from clock_timestamp() - ${since}) * 1000)), 0)::float8`;

/** Undefined when it fails or takes too long. */
async function withinTimeout<T>(read: () => Promise<T>): Promise<T | undefined> {
  const tooLate = new AbortController();
  const late = setTimeout(TIMEOUT_MS, undefined, { signal: tooLate.signal }).catch(() => undefined);
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined;
  } finally {
    tooLate.abort();
  }
}
