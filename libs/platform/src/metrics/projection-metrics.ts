import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { run } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { countSealingFaults } from '../event-store/sealing-faults';
import { recordedAfter } from '../intake-log/intake-log-tables';
import type { Metrics } from './metrics';

interface Row {
  readonly group: string;
  readonly partition: string;
  readonly cursor: string;
  readonly events: number;
  readonly stopped: boolean;
  /** Seconds since the checkpoint moved, and since the oldest event behind it was recorded. */
  readonly idle: number;
  readonly waiting: number;
}

/**
 * How far the projections are: read from the checkpoints in the database, so that every process reports the same, also
 * while no projector runs.
 */
export function observeProjections(metrics: Metrics, pool: Pool, store: Pick<EventStore, 'head' | 'compare'>): void {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [metrics.registry] });
  const lag = gauge(
    'ledgerline_projection_lag_seconds',
    'How long the oldest event that is not projected yet has been waiting',
    'group',
    'partition',
  );
  const stopped = gauge(
    'ledgerline_projection_stopped',
    '1 where a projection is stopped by an event, or by a log that is not what was written',
    'group',
    'partition',
  );
  const events = gauge('ledgerline_projection_events', 'Events projected in the live version', 'group', 'partition');
  const unsealed = gauge('ledgerline_sealing_faults', 'Organizations whose events are not sealed');
  const up = gauge('ledgerline_stores_up', '1 while database and event store can be read');
  metrics.beforeReading(async () => {
    for (const each of [lag, stopped, events]) each.reset();
    try {
      const [head, rows, faults] = await Promise.all([store.head(0), checkpoints(pool), countSealingFaults(pool)]);
      unsealed.set(faults);
      for (const { group, partition, ...row } of rows) {
        const isBehind = group === 'registry' ? store.compare(row.cursor, head) < 0 : row.waiting > 0;
        lag.set({ group, partition }, isBehind ? (group === 'registry' ? row.idle : row.waiting) : 0);
        stopped.set({ group, partition }, row.stopped ? 1 : 0);
        events.set({ group, partition }, row.events);
      }
      up.set(1);
    } catch {
      up.set(0);
    }
  });
}

const checkpoints = (pool: Pool): Promise<Row[]> =>
  run<Row>(
    pool,
    sql`
      select projection_group as "group", partition::text, cursor, events::float8, stopped is not null as stopped,
        greatest(0, extract(epoch from clock_timestamp() - updated_at))::float8 as idle,
        case when projection_group <> 'registry'
          then coalesce(greatest(0, extract(epoch from clock_timestamp() - ${recordedAfter(sql`c.partition`, sql`c.cursor`)})), 0)
          else 0 end::float8 as waiting
      from projection_checkpoints c
      join projection_groups g on g.name = c.projection_group and g.live_version = c.version
      order by projection_group, partition`,
  );
