import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { Pool } from 'pg';
import { Gauge } from 'prom-client';

/** How far one partition of the topic that hits are sent to is copied. */
export interface Copying {
  readonly topic: string;
  readonly partition: number;
  /** Messages that are not copied yet. */
  readonly messages: number;
  /** How long the oldest of them has been waiting at most; 0 while copying keeps up. */
  readonly lagMs: number;
  /** Messages that Kafka dropped before they were copied, and when that was noticed last. */
  readonly lost: number;
  readonly lostAt: Date | null;
  /** Messages that are no hits. */
  readonly refused: number;
  /** Why nothing is copied any more. */
  readonly stopped: string | null;
}

/** None where hits are not sent to Kafka. */
export const readCopying = (on: Queryable): Promise<Copying[]> =>
  run<Copying & Record<string, unknown>>(
    on,
    sql`select o.topic, o.partition, greatest(0, o.end_offset - o.next_offset)::float8 as messages,
          case when o.end_offset > o.next_offset or age.ms > ${KEEPS_UP_MS} then age.ms else 0 end as "lagMs",
          o.lost::float8 as lost, o.lost_at as "lostAt", o.stopped, (
            select coalesce(sum(r.messages), 0)::float8 from intake_refused_messages r
            where r.topic = o.topic and r.partition = o.partition
          ) as refused
        from intake_log l join intake_topic_offsets o on o.topic = l.topic, lateral (
          select greatest(0, round(extract(epoch from clock_timestamp() - o.caught_up_at) * 1000))::float8 as ms
        ) age
        order by o.partition`,
  );

/** Copiers ask every second whether they have everything. */
export const KEEPS_UP_MS = 3_000;

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

/** The offset in the log at or before which the messages up to these offsets of the topic are; undefined = not copied yet. */
export async function segmentsOf(
  on: Queryable,
  sent: ReadonlyMap<number, number>,
): Promise<ReadonlyMap<number, number | undefined>> {
  const rows = await run<{ partition: number; next: string; newest: string }>(
    on,
    sql`select o.partition, o.next_offset as next, h.next_offset - 1 as newest
        from intake_log l join intake_topic_offsets o on o.topic = l.topic join intake_heads h on h.partition = o.partition
        where o.partition = any(${[...sent.keys()]})`,
  );
  const copied = new Map(rows.map((row) => [row.partition, row]));
  const offsetOf = (partition: number, offset: number) => {
    const row = copied.get(partition);
    return row && Number(row.next) > offset ? Number(row.newest) : undefined;
  };
  return new Map([...sent].map(([partition, offset]) => [partition, offsetOf(partition, offset)]));
}
