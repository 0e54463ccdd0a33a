import { setMaxListeners } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { SendingState } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { FaultRow } from '@ledgerline/platform/event-store/verify-chain';
import { withinTimeout } from '@ledgerline/platform/log/timing';
import type { LastBackup } from '@ledgerline/platform/processes/backups';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import type { ProcessRow, StoreState } from '@ledgerline/platform/processes/store-checks';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { SealingWatch } from '../audit/sealing-watch';
import { SessionCounter } from '../query/session-columns/session-counter';
import { EVENT_STORE, HEALTH_POOL } from '../tokens';
import {
  type CopierReport,
  type Degradation,
  deliveryDegradations,
  lagDegradations,
  monitorDegradations,
  parkedDegradations,
  sealingDegradations,
  sealingLagDegradations,
  unreconciledDegradations,
  warningDegradations,
} from './degradations';
import { type FindingReport, Findings, findingReads, unknownDegradations } from './findings';
import { processDegradations, processReports, storeDegradations, type ProcessReport } from './process-reports';
import {
  type LaggingCheckpoint,
  type ProjectionReport,
  type StoreReport,
  groupReports,
  storeState,
  readinessSummary,
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
  /** By their heartbeats. */
  readonly processes: readonly ProcessReport[];
  /** When each part of this was read last. */
  readonly findings: readonly FindingReport[];
  readonly memory: MemoryReport;
  /** Absent when hits are not sent to Kafka. */
  readonly copier?: CopierReport;
  /** Absent when there are no destinations. */
  readonly deliveries?: DeliveryReport;
  /** Organizations whose events are not sealed, the oldest such first; absent when there are none. */
  readonly sealing?: readonly FaultRow[];
  /** The time for which the oldest event that sealing has not come to has been waiting; only with EventStoreDB. */
  readonly sealingLagMs?: number;
  /** Absent where none was made. */
  readonly backup?: LastBackup;
  /** Absent when there are none. */
  readonly degradations?: readonly Degradation[];
}

type DeliveryReport = Pick<SendingState, 'destinations' | 'heldBack' | 'off' | 'setAside'>;

const deliveryReport = ({ destinations, heldBack, off, setAside }: SendingState): DeliveryReport | undefined =>
  destinations > 0 ? { destinations, heldBack, off, setAside } : undefined;

const undefinedIfEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length > 0 ? list : undefined);

/** MB of this process: of its heap, and what its questions hold and may hold by estimate, together with what they keep. */
interface MemoryReport {
  readonly heap: number;
  readonly heapLimit: number;
  readonly queries: number;
  readonly queriesLimit: number;
  /** Questions that wait for memory. */
  readonly waiting: number;
}

const POLL_EVERY_MS = 2_000;
/** The start waits no longer for the first answers, ms. */
const FIRST_MS = 2_000;

/** Knows whether this process can do its work, by what polls in the background know: asked, it waits for nothing. */
@Injectable()
export class Readiness implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly findings: Findings;
  private readonly stopping = new AbortController();

  constructor(
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(HEALTH_POOL) private readonly main: Pool,
    private readonly readStores: ReadStores,
    private readonly heartbeat: Heartbeat,
    private readonly queries: SessionCounter,
    sealing: SealingWatch,
  ) {
    this.findings = new Findings(findingReads(eventStore, main, readStores.all, sealing));
  }

  async onApplicationBootstrap(): Promise<void> {
    setMaxListeners(0, this.stopping.signal); // every poll listens
    const polls = this.findings.all.map(({ poll }) => poll);
    const first = Promise.all(polls.map((poll) => poll.once()));
    for (const poll of polls) void poll.follow(POLL_EVERY_MS, this.stopping.signal);
    await withinTimeout(FIRST_MS, () => first);
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  report(): ReadinessReport {
    return { ...reportOf(this.findings, this.heartbeat.row), memory: memoryReport(this.queries) };
  }

  /** Returns whether every store responds now, and none was found to be down. @throws what one fails with */
  async hasStores(): Promise<boolean> {
    const pools = [this.main, ...this.readStores.all.map(({ pool }) => pool)];
    await Promise.all([this.eventStore.head(0), ...pools.map((pool) => run(pool, sql`select`))]);
    const { eventStore, database } = this.report();
    return eventStore === 'ok' && database === 'ok';
  }
}

const MIB = 1024 * 1024;

function memoryReport({ held }: Pick<SessionCounter, 'held'>): MemoryReport {
  const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
  const { used: queries, limit: queriesLimit, waiting } = held;
  const mb = (bytes: number) => Math.round(bytes / MIB);
  return { heap: mb(heap), heapLimit: mb(heapLimit), queries: mb(queries), queriesLimit: mb(queriesLimit), waiting };
}

/** @param self this process, as it sees itself */
export function reportOf(findings: Findings, self: ProcessRow): Omit<ReadinessReport, 'memory'> {
  const isFailing = (store: StoreState['store'], place?: number) =>
    self.stores.some((state) => state.store === store && state.place === place && state.reason !== null);
  const readStores = findings.stores.map(({ place, isMain, checkpoints }): StoreReport => {
    const isDown = isMain ? isFailing('database') : isFailing('read_store', place);
    return { store: place, status: isDown ? 'down' : storeState(checkpoints.value) };
  });
  const processes = processReports([self, ...othersThan(self, findings)]);
  const checkpoints = lagging(findings);
  const projections = groupReports(checkpoints);
  const copier = findings.copier.value;
  const sending = findings.deliveries.value;
  const degradations = degradationsOf(findings, { processes, checkpoints, projections });
  const eventStore = isFailing('event_store') ? 'down' : 'ok';
  const database = isFailing('database') ? 'down' : 'ok';
  const isUp = eventStore === 'ok' && database === 'ok' && copier?.status !== 'stopped';
  const [fault] = storeDegradations(processReports([self]));
  const { unknownForMs } = findings;
  return {
    ...readinessSummary({ isUp, fault: fault?.reason, unknownForMs, readStores, projections, degradations }),
    eventStore,
    database,
    readStores,
    projections,
    processes,
    findings: findings.reports(),
    copier,
    deliveries: sending && deliveryReport(sending),
    sealing: undefinedIfEmpty(findings.sealing.value ?? []),
    sealingLagMs: findings.sealingLag.value,
    backup: findings.backup.value,
    degradations: undefinedIfEmpty(degradations),
  };
}

const othersThan = (self: ProcessRow, { processes }: Findings): readonly ProcessRow[] =>
  (processes.value ?? []).filter(({ id }) => id !== self.id);

interface ProcessesAndProjections {
  /** This one among them: what it sees of its stores is one state. */
  readonly processes: ReturnType<typeof processReports>;
  readonly checkpoints: readonly LaggingCheckpoint[];
  readonly projections: ReturnType<typeof groupReports>;
}

/** Returns all that works worse than it should. */
function degradationsOf(findings: Findings, { processes, checkpoints, projections }: ProcessesAndProjections) {
  const seen = findings.processes.value;
  const sending = findings.deliveries.value;
  return [
    ...(seen ? processDegradations(seen) : []),
    ...storeDegradations(processes),
    ...unknownDegradations(findings.reports()),
    ...parkedDegradations(checkpoints),
    ...lagDegradations(projections, findings.copier.value),
    ...sealingDegradations(findings.sealing.value ?? []),
    ...sealingLagDegradations(findings.sealingLag.value),
    ...warningDegradations(findings.warnings.value ?? []),
    ...monitorDegradations(findings.monitors.value ?? { monitors: 0, since: null }),
    ...(sending ? deliveryDegradations(sending) : []),
    ...unreconciledDegradations(findings.registryReconciliations.value ?? []),
    ...findings.stores.flatMap(({ place, reconciliations }) =>
      unreconciledDegradations(reconciliations.value ?? [], place),
    ),
  ];
}

/** The checkpoints, each with the time that events of its partition waited when that was read last. */
function lagging({ registry, registryWaiting, stores }: Findings): LaggingCheckpoint[] {
  const withLag = (rows: Findings['registry'], waiting: Findings['registryWaiting'], store?: number) =>
    (rows.value ?? []).map((row): LaggingCheckpoint => {
      const { group, partition } = row;
      const own = waiting.value?.find((each) => each.group === group && each.partition === partition);
      return { ...row, ...(store === undefined ? {} : { store }), lagMs: own?.lagMs ?? 0 };
    });
  return [
    ...withLag(registry, registryWaiting),
    ...stores.flatMap(({ place, checkpoints, waiting }) => withLag(checkpoints, waiting, place)),
  ];
}
