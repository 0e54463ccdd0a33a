import {
  type CopierReport,
  type Degradation,
  lagDegradations,
  monitorDegradations,
  parkedDegradations,
  readCopierReport,
  sealingDegradations,
  unreconciledDegradations,
} from './degradations';
import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { FaultRow } from '@ledgerline/platform/event-store/verify-chain';
import { readWaiting } from '@ledgerline/platform/intake-log/intake-log';
import { readOverdueMonitors } from '@ledgerline/platform/monitors/monitor-states';
import { withinTimeout } from '@ledgerline/platform/log/timing';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { type ProcessRow, readProcesses } from '@ledgerline/platform/processes/store-checks';
import {
  decidedLag,
  type LiveCheckpoint,
  readReconciliations,
  registryCheckpoints,
  storeCheckpoints,
} from '@ledgerline/platform/read-stores/projection-states';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import type { Pool } from 'pg';
import { SealingWatch } from '../audit/sealing-watch';
import { EVENT_STORE, HEALTH_POOL } from '../tokens';
import { processDegradations, processReports, storeDegradations, type ProcessReport } from './process-reports';
import {
  type LaggingCheckpoint,
  type ProjectionReport,
  type StoreReport,
  groupReports,
  storeState,
  summaryOf,
} from './reports';

export interface ReadinessReport {
  /**
   * degraded: websites and links of a read store that is down or empty are refused, or query types whose tables are being
   * rebuilt, or `degradations` says what else.
   */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  /** Why not ok, where the rest does not show it. */
  readonly reason?: string;
  readonly eventStore: 'ok' | 'down';
  readonly database: 'ok' | 'down';
  readonly readStores: readonly StoreReport[];
  readonly projections: readonly ProjectionReport[];
  /** By their heartbeats; this one alone while the database cannot be read. */
  readonly processes: readonly ProcessReport[];
  /** Absent when hits are not sent to Kafka. */
  readonly copier?: CopierReport;
  /** Organizations whose events are not sealed, the oldest such first; absent when there are none. */
  readonly sealing?: readonly FaultRow[];
  /** Absent when there are none. */
  readonly degradations?: readonly Degradation[];
}

const TIMEOUT_MS = 2_000;
const MAX_FAULTS = 100;

/** Whether this process can do its work. */
@Injectable()
export class Readiness {
  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(HEALTH_POOL) private readonly main: Pool,
    private readonly stores: ReadStores,
    private readonly heartbeat: Heartbeat,
    private readonly sealing: SealingWatch,
  ) {}

  async report(): Promise<ReadinessReport> {
    const { all } = this.stores;
    const [head, registry, faults, copier, seen, ...stores] = await Promise.all([
      withinTimeout(TIMEOUT_MS, () => this.eventStore.head(0)),
      withinTimeout(TIMEOUT_MS, () => registryCheckpoints(this.main)),
      withinTimeout(TIMEOUT_MS, () => this.sealing.report(this.main, MAX_FAULTS)),
      withinTimeout(TIMEOUT_MS, () => readCopierReport(this.main)),
      withinTimeout(TIMEOUT_MS, () => readProcesses(this.main)),
      ...all.map((store) => withinTimeout(TIMEOUT_MS, () => storeCheckpoints(store.pool, store))),
    ]);
    const readStores = all.map(({ place }, at) => ({ store: place, status: storeState(stores[at]) }));
    const observed = all.flatMap(({ place }, at) => (stores[at] ?? []).map((row) => ({ ...row, store: place })));
    const lagging = await withinTimeout(TIMEOUT_MS, () => this.withLag(observed));
    const behind = await Promise.all((registry ?? []).map((row) => this.behind(row)));
    const projections = groupReports([...behind, ...(lagging ?? [])]);
    const [overdue, unreconciled] = await Promise.all([this.overdue(), this.unreconciled()]);
    // nothing is awaited from here on: what this process sees of its stores is one state
    const degradations = [
      ...this.processes(seen),
      ...parkedDegradations([...(registry ?? []), ...observed]),
      ...lagDegradations(projections, copier),
      ...sealingDegradations(faults ?? []),
      ...overdue,
      ...unreconciled,
    ];
    const eventStore = head === undefined || this.isFailing('event_store') ? 'down' : 'ok';
    const database = registry === undefined || this.isFailing('database') ? 'down' : 'ok';
    const isUp = eventStore === 'ok' && database === 'ok' && copier?.status !== 'stopped';
    const [fault] = storeDegradations(processReports([this.heartbeat.row]));
    return {
      ...summaryOf({ isUp, fault: fault?.reason, readStores, projections, degradations }),
      eventStore,
      database,
      readStores,
      projections,
      processes: processReports(this.withSelf(seen)),
      ...(copier ? { copier } : {}),
      ...(faults && faults.length > 0 ? { sealing: faults } : {}),
      ...(degradations.length > 0 ? { degradations } : {}),
    };
  }

  /** Whether every store responds. */
  async hasStores(): Promise<boolean> {
    const { eventStore, database, readStores } = await this.report();
    return eventStore === 'ok' && database === 'ok' && readStores.every(({ status }) => status !== 'down');
  }

  private async unreconciled(): Promise<Degradation[]> {
    const read = async ({ pool, ...share }: (typeof this.stores.all)[number]) => {
      const rows = await withinTimeout(TIMEOUT_MS, () => readReconciliations(pool, share));
      return unreconciledDegradations(rows ?? [], share.place);
    };
    return (await Promise.all(this.stores.all.map(read))).flat();
  }

  private async overdue(): Promise<Degradation[]> {
    const overdue = await withinTimeout(TIMEOUT_MS, () => readOverdueMonitors(this.main));
    return overdue ? monitorDegradations(overdue) : [];
  }

  /** What is known of processes is only what this one sees, while the database cannot be read. */
  private processes(seen: readonly ProcessRow[] | undefined): Degradation[] {
    return [...(seen ? processDegradations(seen) : []), ...storeDegradations(processReports(this.withSelf(seen)))];
  }

  private withSelf(seen: readonly ProcessRow[] = []): readonly ProcessRow[] {
    const { row } = this.heartbeat;
    return [row, ...seen.filter(({ id }) => id !== row.id)];
  }

  private isFailing(store: ProcessRow['stores'][number]['store']): boolean {
    return this.heartbeat.stores.some((state) => state.store === store && state.reason !== null);
  }

  private async behind(row: LiveCheckpoint): Promise<LaggingCheckpoint> {
    const lagMs = await withinTimeout(TIMEOUT_MS, () => decidedLag(this.eventStore, row.cursor));
    return { ...row, lagMs: lagMs ?? 0 };
  }

  private async withLag<Row extends LiveCheckpoint>(rows: readonly Row[]): Promise<(Row & LaggingCheckpoint)[]> {
    const waiting = await readWaiting(this.main, rows);
    return rows.map((row, at) => ({ ...row, lagMs: waiting[at]?.forMs ?? 0 }));
  }
}
