import { MONITOR_INTERVAL, MONITOR_TIMEOUT, type MonitorSettings } from '@ledgerline/contracts/events/monitor.events';

/** What a monitor has by default. */
export const plainMonitor = {
  method: 'GET',
  intervalSeconds: MONITOR_INTERVAL.default,
  timeoutSeconds: MONITOR_TIMEOUT.default,
  expectedStatus: null,
  expectedText: null,
  unwantedText: null,
  slowAfterMs: null,
  certificateDays: null,
  ignoreTlsErrors: false,
  body: null,
  headerNames: [],
  sealedHeaders: null,
  paused: false,
} as const satisfies Omit<MonitorSettings, 'name' | 'url'>;
