import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Gauge, Histogram } from 'prom-client';
import type { DayCounts, SealingPass } from './seal-days';

/** Measures the sealing of days. */
export interface SealingObserver {
  readonly onDay: NonNullable<SealingPass['onDay']>;
  /** The days of a read store, by its place, after each pass. */
  readonly onDays: (store: number, days: DayCounts) => void;
}

export function sealingMetrics({ registry }: Metrics): SealingObserver {
  const durations = new Histogram({
    name: 'ledgerline_session_day_sealing_duration_seconds',
    help: 'Duration of sealing a day of sessions by result: sealed, changed (by a batch meanwhile), taken, failed',
    labelNames: ['result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
    registers: [registry],
  });
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const days = gauge(
    'ledgerline_session_days',
    'Days of websites with sessions by state: sealed, open (today, too)',
    'store',
    'state',
  );
  const waiting = gauge(
    'ledgerline_session_days_unsealed_seconds',
    'How long the oldest open day has been over; 0 = all of them are sealed',
    'store',
  );
  return {
    onDay: (result, durationMs) => durations.observe({ result }, durationMs / 1000),
    onDays: (place, { sealed, open, oldestOverMs }) => {
      const store = String(place);
      days.set({ store, state: 'sealed' }, sealed);
      days.set({ store, state: 'open' }, open);
      waiting.set({ store }, oldestOverMs / 1000);
    },
  };
}
