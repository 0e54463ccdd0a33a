import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Counter, Histogram } from 'prom-client';
import type { PackingResult } from './pack-rows';

/** Measures the packing of kept counts. */
export interface PackingObserver {
  /** Called after each pass that found rows to merge. */
  readonly onPass: (result: PackingResult, durationMs: number) => void;
}

export function packingMetrics({ registry }: Metrics): PackingObserver {
  const durations = new Histogram({
    name: 'ledgerline_kept_counts_packing_duration_seconds',
    help: 'Duration of a pass that merges rows of kept counts',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [registry],
  });
  const rows = new Counter({
    name: 'ledgerline_kept_counts_packed_rows_total',
    help: 'Rows of kept counts that were merged into fewer ones',
    registers: [registry],
  });
  return {
    onPass({ merged }, durationMs) {
      durations.observe(durationMs / 1000);
      rows.inc(merged);
    },
  };
}
