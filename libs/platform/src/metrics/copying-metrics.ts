import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { readCopying } from '../intake-log/kafka/copying';
import type { Metrics } from './metrics';

/** How far hits are copied from Kafka: read from the database, so that every process reports the same; nothing without Kafka. */
export function observeCopying(metrics: Metrics, pool: Pool): void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name, help, labelNames: ['partition'], registers: [metrics.registry] });
  const messages = gauge('ledgerline_copier_lag_messages', 'Messages of Kafka that are not copied yet');
  const lag = gauge('ledgerline_copier_lag_seconds', 'How long the oldest message that is not copied waits at most');
  const stopped = gauge('ledgerline_copier_stopped', '1 where nothing is copied because the topic is another one');
  const lost = gauge('ledgerline_copier_lost_messages', 'Messages that Kafka dropped before they were copied');
  const refused = gauge('ledgerline_copier_refused_messages', 'Messages that are no hits');
  metrics.beforeReading(async () => {
    for (const each of [messages, lag, stopped, lost, refused]) each.reset();
    for (const { partition, ...row } of await readCopying(pool).catch(() => [])) {
      const label = { partition: String(partition) };
      messages.set(label, row.messages);
      lag.set(label, row.lagMs / 1_000);
      stopped.set(label, row.stopped === null ? 0 : 1);
      lost.set(label, row.lost);
      refused.set(label, row.refused);
    }
  });
}
