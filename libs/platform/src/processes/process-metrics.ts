import { Gauge } from 'prom-client';
import type { Pool } from 'pg';
import type { Metrics } from '../metrics/metrics';
import { readOverdueMonitors } from '../monitors/overdue-monitors';
import { isSilent, readProcesses } from './process-rows';

/** Which processes have a heartbeat, and what they leave undone; read from the database, so that every process reports the same. */
export function observeProcesses(metrics: Metrics, main: Pool): void {
  const { registry } = metrics;
  const up = new Gauge({
    name: 'ledgerline_process_up',
    help: '1 for a process with a heartbeat; 0 for one whose heartbeat stopped, for five minutes after that',
    labelNames: ['process', 'host', 'pid'],
    registers: [registry],
  });
  const overdue = new Gauge({
    name: 'ledgerline_monitors_overdue',
    help: 'Monitors whose check is long past',
    registers: [registry],
  });
  metrics.beforeReading(async () => {
    up.reset();
    const read = Promise.all([readProcesses(main), readOverdueMonitors(main)]);
    const [processes, { monitors }] = await read.catch(() => [[], { monitors: Number.NaN }] as const); // ledgerline_store_up says why
    for (const { app, host, pid, ...row } of processes)
      up.set({ process: app, host, pid: String(pid) }, isSilent(row) ? 0 : 1);
    overdue.set(monitors);
  });
}
