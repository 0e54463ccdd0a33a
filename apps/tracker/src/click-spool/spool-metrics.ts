import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Counter, Gauge } from 'prom-client';
import type { ClickRecorder } from './click-recorder';
import type { ClickSpool } from './click-spool';

/** How many clicks wait on disk until the intake log has them, how many more have room there, and which had none. */
export function observeClicks(clicks: ClickRecorder, spool: ClickSpool, metrics: Metrics): void {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [metrics.registry] });
  const bytes = gauge('ledgerline_click_spool_bytes', 'Bytes of the click spool');
  const files = gauge('ledgerline_click_spool_files', 'Files of the click spool');
  const room = gauge('ledgerline_click_spool_room_bytes', 'Bytes that are allocated on disk for clicks and free');
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [metrics.registry] });
  const refused = counter('ledgerline_clicks_refused_total', 'Clicks answered 503 as nothing could record them');
  const lost = counter('ledgerline_clicks_lost_total', 'Redirected clicks that nothing could record');
  metrics.beforeReading(() => {
    const depth = spool.depth();
    bytes.set(depth.bytes);
    files.set(depth.files);
    room.set(spool.state().room);
    refused.reset();
    refused.inc(clicks.unrecorded.refused);
    lost.reset();
    lost.inc(clicks.unrecorded.lost);
  });
}
