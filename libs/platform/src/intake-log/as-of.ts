import { type Queryable, runPrepared } from '../database/pool';
import { sql } from '../database/sql';
import { KEEPS_UP_MS, type LogCursor, offsetOf } from './intake-log';
import { namesText } from './segment-format';

/** Up to when a reader has everything of a subject, by the clock of the main database, in whole seconds rounded towards the past. */
export interface IncludedUntil {
  /** Everything of the subject that was committed to the log by then is at or before the cursor; epoch ms. */
  readonly asOf: number;
  /** The time for which the oldest event of the subject behind the cursor has been waiting, ms; 0 = none is. */
  readonly lagMs: number;
}

/** So many segments, and about so many unpacked bytes, are looked through for a subject; any later one may hold events of it. */
const MAX_SEGMENTS = 64;
const MAX_BYTES = 1024 * 1024;

interface Row {
  /** Before the snapshot of the statement. */
  readonly now: Date;
  /** Up to when hits are copied from Kafka; null where they are not sent there. */
  readonly caughtUpAt: Date | null;
  /** The time of a segment behind the cursor; null = there is none. */
  readonly recordedAt: Date | null;
  readonly size: number | null;
  /** Null also of a segment that is not looked through. */
  readonly payload: Buffer | null;
}

/**
 * Reads up to when cursors of partitions, which were read before, have everything of a website, link or monitor. Events of
 * others do not show in it, unless more wait behind a cursor than is looked through, or no subject is named.
 */
export async function readAsOf(
  main: Queryable,
  cursors: readonly LogCursor[],
  subject: string | undefined,
): Promise<IncludedUntil> {
  const each = await Promise.all(cursors.map((cursor) => readAsOfOne(main, cursor, subject)));
  return { asOf: Math.min(...each.map(({ asOf }) => asOf)), lagMs: Math.max(...each.map(({ lagMs }) => lagMs)) };
}

async function readAsOfOne(
  main: Queryable,
  { partition, cursor }: LogCursor,
  subject: string | undefined,
): Promise<IncludedUntil> {
  const rows = await runPrepared<Row>(
    main,
    'as of',
    sql`
      select now() as now, caught_up_at as "caughtUpAt", recorded_at as "recordedAt", size,
        case when place <= ${MAX_SEGMENTS} and bytes - size < ${MAX_BYTES} then payload end as payload
      from (
        select max(o.caught_up_at) as caught_up_at
        from intake_log l join intake_topic_offsets o on o.topic = l.topic and o.partition = ${partition}
      ) copied left join (
        select *, row_number() over earlier as place, sum(size) over earlier as bytes
        from (
          select first_offset, recorded_at, payload, coalesce((
              select r.size from intake_rewrites r where segment_partition = partition and segment_offset = first_offset
              order by number desc limit 1
            ), size) as size
          from intake_segments
          where partition = ${partition} and first_offset > ${offsetOf(cursor)} order by first_offset limit ${MAX_SEGMENTS + 1}
        ) behind window earlier as (order by first_offset)
      ) waiting on true
      order by place`,
  );
  const [first] = rows;
  if (!first) throw new Error('A row says what time it is.');
  const now = first.now.getTime();
  const copiedUntil = first.caughtUpAt?.getTime() ?? now;
  const waitsSince = rows.find((row) => mayHold(row, subject))?.recordedAt?.getTime() ?? now;
  const missingSince = now - copiedUntil > KEEPS_UP_MS ? Math.min(copiedUntil, waitsSince) : waitsSince;
  return {
    asOf: Math.floor(Math.min(now, copiedUntil, waitsSince) / SECOND_MS) * SECOND_MS,
    lagMs: Math.ceil((now - missingSince) / SECOND_MS) * SECOND_MS,
  };
}

const SECOND_MS = 1_000;

const mayHold = ({ recordedAt, payload, size }: Row, subject: string | undefined): boolean =>
  recordedAt !== null && (subject === undefined || payload === null || namesText(payload, size ?? 0, subject));
