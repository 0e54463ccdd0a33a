import { runPrepared, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import { offsetOf } from './intake-log-tables';

/** How far something has read a partition. */
export interface LogCursor {
  readonly partition: number;
  readonly cursor: Cursor;
}

/** The oldest event behind a cursor. */
export interface WaitingEvent {
  /** When it was recorded; null = none is behind the cursor. */
  readonly since: Date | null;
  /** How long ago that was by the clock of the database, ms. */
  readonly forMs: number;
}

/**
 * What waits behind each of the cursors, in their order: the only place that compares checkpoints with the log, whose
 * tables are in the main database wherever the checkpoints are.
 */
export async function readWaiting(main: Queryable, cursors: readonly LogCursor[]): Promise<WaitingEvent[]> {
  if (cursors.length === 0) return [];
  const partitions = cursors.map(({ partition }) => partition);
  const offsets = cursors.map(({ cursor }) => offsetOf(cursor));
  return runPrepared<WaitingEvent & Record<string, unknown>>(
    main,
    'waiting events',
    sql`
      select oldest.since, coalesce(greatest(0, extract(epoch from clock_timestamp() - oldest.since) * 1000), 0)::float8 as "forMs"
      from unnest(${partitions}::integer[], ${offsets}::bigint[]) with ordinality as read (partition, "offset", place)
      left join lateral (
        select s.recorded_at as since from intake_segments s
        where s.partition = read.partition and s.first_offset > read."offset" order by s.first_offset limit 1
      ) oldest on true
      order by read.place`,
  );
}
