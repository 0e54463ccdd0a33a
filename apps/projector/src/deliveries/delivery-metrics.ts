import { Counter, Gauge } from 'prom-client';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';

const STATES = ['ok', 'held_back', 'off'] as const;

/** Counts the tries of this process; how destinations are is read from the database, so that every projector reports the same. */
export function deliveryMetrics(metrics: Metrics, main: Queryable): (kind: string, outcome: string) => void {
  const registers = [metrics.registry];
  const tries = new Counter({
    name: 'ledgerline_delivery_tries_total',
    help: 'Tries to send a message to a destination, by what they came to',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const destinations = new Gauge({
    name: 'ledgerline_destinations',
    help: 'Destinations by state',
    labelNames: ['state'],
    registers,
  });
  const setAside = new Gauge({
    name: 'ledgerline_deliveries_set_aside',
    help: 'Messages that receivers refused, and that are not sent again by themselves',
    registers,
  });
  metrics.beforeReading(async () => {
    const rows = await run<{ state: string; destinations: number }>(
      main,
      sql`select state, count(*)::integer as destinations from destination_sending group by state`,
    );
    for (const state of STATES) destinations.set({ state }, rows.find((row) => row.state === state)?.destinations ?? 0);
    const [row] = await run<{ messages: number }>(
      main,
      sql`select count(*)::integer as messages from deliveries where state = 'set_aside'`,
    );
    setAside.set(row?.messages ?? 0);
  });
  return (kind, outcome) => tries.inc({ kind, outcome });
}
