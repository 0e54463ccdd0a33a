import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import type { Settings } from '../config/settings';
import type { EventStore } from '../event-store/event-store';
import { countSealingFaults } from '../event-store/verify-chain';
import { readWaiting } from '../intake-log/intake-log';
import { withinTimeout } from '../log/timing';
import {
  decidedLag,
  type LiveCheckpoint,
  type Reconciliation,
  registryCheckpoints,
  registryReconciliations,
  sealingLag,
  storeCheckpoints,
  storeReconciliations,
} from '../read-stores/projection-states';
import type { ReadStore } from '../read-stores/read-stores';
import type { Metrics } from './metrics';

interface Observed {
  readonly main: Pool;
  readonly stores: readonly ReadStore[];
  readonly eventStore: Pick<EventStore, 'head' | 'compare' | 'read'>;
  readonly settings: Pick<Settings, 'eventStoreUrl'>;
}

const TIMEOUT_MS = 2_000;

/**
 * Observes how far the projections are: read from the checkpoints in the databases, so that every process reports the
 * same, also while no projector runs.
 */
export function observeProjections(metrics: Metrics, { main, stores, eventStore, settings }: Observed): void {
  const gauges = projectionGauges(metrics);
  const report = ({ group, partition, ...row }: LiveCheckpoint, waitingMs: number) => {
    const labels = { group, partition: String(partition) };
    gauges.lag.set(labels, waitingMs / 1000);
    gauges.stopped.set(labels, row.stopped === null ? 0 : 1);
    gauges.events.set(labels, row.events);
    gauges.parked.set(labels, row.parked + row.parkedBeside);
    if (row.pending.length === 0) return;
    gauges.pending.set({ group }, row.pending.length);
    gauges.rebuilt.set(labels, row.rebuilt ?? 0);
  };
  const reportCompared = ({ group, partition, findings, agoMs }: Reconciliation) => {
    gauges.findings.set({ group, partition: String(partition) }, findings);
    gauges.compared.set({ group, partition: String(partition) }, agoMs / 1000);
  };
  const observeMain = async () => {
    const [rows, faults, lagMs, compared] = await Promise.all([
      registryCheckpoints(main),
      countSealingFaults(main),
      sealingLag(settings, main, eventStore),
      registryReconciliations(main),
    ]);
    gauges.unsealed.set(faults);
    gauges.sealingLag.set((lagMs ?? 0) / 1000);
    compared.forEach(reportCompared);
    for (const row of rows) report(row, await decidedLag(eventStore, row.cursor));
  };
  const observeStore = async (store: ReadStore) => {
    const rows = await withinTimeout(TIMEOUT_MS, () => storeCheckpoints(store.pool, store));
    gauges.storeUp.set({ store: String(store.place) }, rows === undefined ? 0 : 1);
    if (rows === undefined) return;
    const [waiting, compared] = await Promise.all([readWaiting(main, rows), storeReconciliations(store.pool, store)]);
    compared.forEach(reportCompared);
    rows.forEach((row, at) => report(row, waiting[at]?.forMs ?? 0));
  };
  metrics.beforeReading(async () => {
    const own = [
      gauges.lag,
      gauges.stopped,
      gauges.events,
      gauges.parked,
      gauges.pending,
      gauges.rebuilt,
      gauges.findings,
      gauges.compared,
    ];
    for (const each of own) each.reset();
    gauges.up.set(0);
    await Promise.all([observeMain(), ...stores.map(observeStore)]);
    gauges.up.set(1);
  });
}

function projectionGauges(metrics: Metrics) {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [metrics.registry] });
  return {
    lag: gauge(
      'ledgerline_projection_lag_seconds',
      'How long the oldest event that is not projected yet has been waiting',
      'group',
      'partition',
    ),
    stopped: gauge(
      'ledgerline_projection_stopped',
      '1 where a projection is stopped, such as by a log that is not what was written',
      'group',
      'partition',
    ),
    events: gauge('ledgerline_projection_events', 'Events projected in the live version', 'group', 'partition'),
    parked: gauge(
      'ledgerline_projection_parked_events',
      'Events left out because they failed, or wait behind such ones, until they are retried or accepted',
      'group',
      'partition',
    ),
    pending: gauge('ledgerline_projection_pending_tables', 'Tables that are filled after an upgrade', 'group'),
    rebuilt: gauge(
      'ledgerline_projection_rebuilt_events',
      'Events in the tables that are filled after an upgrade',
      'group',
      'partition',
    ),
    findings: gauge(
      'ledgerline_reconciliation_findings',
      'Days of websites, links and monitors in which a table differs from the log, once for each table, and rows of the registry',
      'group',
      'partition',
    ),
    compared: gauge(
      'ledgerline_reconciliation_age_seconds',
      'How long ago the last complete comparison of tables with the log began: the age of the oldest unchecked day',
      'group',
      'partition',
    ),
    unsealed: gauge('ledgerline_sealing_faults', 'Organizations whose events are not sealed'),
    sealingLag: gauge(
      'ledgerline_sealing_lag_seconds',
      'How long the oldest event in EventStoreDB that sealing has not come to has been waiting',
    ),
    up: gauge('ledgerline_stores_up', '1 while database and event store can be read'),
    storeUp: gauge('ledgerline_read_store_up', '1 while a read store can be read, by its place in the list', 'store'),
  };
}
