import { Inject, Injectable } from '@nestjs/common';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { readSealingFaults, type FaultRow } from '@ledgerline/platform/event-store/sealing-faults';
import { readWaiting } from '@ledgerline/platform/intake-log/waiting-events';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { withinTimeout } from '@ledgerline/platform/log/within-timeout';
import {
  registryCheckpoints,
  storeCheckpoints,
  type LiveCheckpoint,
} from '@ledgerline/platform/read-stores/checkpoints';
import { readReconciliations } from '@ledgerline/platform/read-stores/reconciliations';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import type { Pool } from 'pg';
import { EVENT_STORE, HEALTH_POOL } from '../tokens';
import { parkedDegradations, unreconciledDegradations, type Degradation } from './degradations';
import { readCopierReport, type CopierReport } from './copier-report';
import {
  groupReports,
  storeState,
  summaryOf,
  type LaggingCheckpoint,
  type ProjectionReport,
  type StoreReport,
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
  ) {}

  async report(): Promise<ReadinessReport> {
    const { all } = this.stores;
    const [head, registry, faults, copier, ...stores] = await Promise.all([
      withinTimeout(TIMEOUT_MS, () => this.eventStore.head(0)),
      withinTimeout(TIMEOUT_MS, () => registryCheckpoints(this.main)),
      withinTimeout(TIMEOUT_MS, () => readSealingFaults(this.main, MAX_FAULTS)),
      withinTimeout(TIMEOUT_MS, () => readCopierReport(this.main)),
      ...all.map((store) => withinTimeout(TIMEOUT_MS, () => storeCheckpoints(store.pool, store))),
    ]);
    const readStores = all.map(({ place }, at) => ({ store: place, status: storeState(stores[at]) }));
    const observed = all.flatMap(({ place }, at) => (stores[at] ?? []).map((row) => ({ ...row, store: place })));
    const lagging = await withinTimeout(TIMEOUT_MS, () => this.withLag(observed));
    const projections = groupReports([...(registry ?? []).map((row) => this.behind(row, head)), ...(lagging ?? [])]);
    const parked = parkedDegradations([...(registry ?? []), ...observed]);
    const degradations = [...parked, ...(await this.unreconciled())];
    const isUp = head !== undefined && registry !== undefined && copier?.status !== 'stopped';
    return {
      ...summaryOf({ isUp, readStores, projections, degradations }),
      eventStore: head === undefined ? 'down' : 'ok',
      database: registry === undefined ? 'down' : 'ok',
      readStores,
      projections,
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

  /** The age of waiting hits is read from the intake log; for the event store it is the time since the checkpoint moved. */
  private behind(row: LiveCheckpoint, head: Cursor | undefined): LaggingCheckpoint {
    const isBehind = head !== undefined && this.eventStore.compare(row.cursor, head) < 0;
    return { ...row, lagMs: isBehind ? row.idleMs : 0 };
  }

  private async withLag<Row extends LiveCheckpoint>(rows: readonly Row[]): Promise<(Row & LaggingCheckpoint)[]> {
    const waiting = await readWaiting(this.main, rows);
    return rows.map((row, at) => ({ ...row, lagMs: waiting[at]?.forMs ?? 0 }));
  }
}
