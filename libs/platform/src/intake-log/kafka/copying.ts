import { run, type Queryable } from '../../database/pool';
import { sql } from '../../database/sql';

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
