import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Gauge } from 'prom-client';
import type { ClickSpool } from './click-spool';

/** How many clicks wait on disk until the intake log has them. */
export function observeSpool(spool: ClickSpool, metrics: Metrics): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics.registry] });
  const bytes = gauge('ledgerline_click_spool_bytes', 'Bytes of the click spool');
  const files = gauge('ledgerline_click_spool_files', 'Files of the click spool');
  metrics.beforeReading(() => {
    const depth = spool.depth();
    bytes.set(depth.bytes);
    files.set(depth.files);
  });
}
