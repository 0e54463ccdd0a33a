import { runPrepared, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import { recordedAfter } from './intake-log-tables';

/** How far something has read a partition. */
export interface LogCursor {
  readonly partition: number;
  readonly cursor: Cursor;
}

/** The oldest event behind a cursor, also of hits that are not copied from Kafka yet. */
export interface WaitingEvent {
  /** When it was recorded; null = none is behind the cursor. */
  readonly since: Date | null;
  /** How long ago that was by the clock of the database, ms. */
  readonly forMs: number;
}

/**
 * What waits behind each of the cursors, in their order: the only place that compares checkpoints with the log, whose
 * tables are in the main database wherever the checkpoints are. A statement for each, as its plan is made only once.
 */
export const readWaiting = (main: Queryable, cursors: readonly LogCursor[]): Promise<WaitingEvent[]> =>
  Promise.all(cursors.map((cursor) => readOldest(main, cursor)));

async function readOldest(main: Queryable, { partition, cursor }: LogCursor): Promise<WaitingEvent> {
  const since = recordedAfter(sql`${partition}::integer`, sql`${cursor}::text`);
  const [oldest] = await runPrepared<WaitingEvent>(
    main,
    'oldest waiting event',
    sql`
      select since, coalesce(greatest(0, extract(epoch from clock_timestamp() - since) * 1000), 0)::float8 as "forMs"
      from (select ${since} as since) oldest`,
  );
  return oldest ?? { since: null, forMs: 0 };
}
