import type { Pool } from 'pg';
import { runPrepared } from '../database/pool';
import { sql } from '../database/sql';
import { type Cursor, EpochChanged, type LogBatch, type ReadOptions } from '../log/log-reader';
import type { LoggedHit } from './intake-log';
import { cursorOf, offsetOf } from './intake-log-tables';
import { unpackEvents } from './segment-format';

interface Row {
  readonly next_offset: string;
  readonly first_offset: string | null;
  readonly count: number;
  readonly size: number;
  readonly payload: Buffer | null;
}

/** Segments looked at by one read, and about how many unpacked bytes it may bring. */
const MAX_SEGMENTS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** The next whole segments of a partition, as many as `max` allows but at least one. */
export async function readSegments(
  pool: Pool,
  partition: number,
  after: Cursor,
  { max, types, signal }: ReadOptions,
): Promise<LogBatch<LoggedHit>> {
  signal?.throwIfAborted();
  const rows = await segmentsAfter(pool, partition, offsetOf(after), { max, types });
  signal?.throwIfAborted();
  const head = Number(rows[0]?.next_offset ?? 0) - 1;
  const start = offsetOf(after);
  if (start > head) throw new EpochChanged(`partition ${partition} ends at ${head}, before cursor ${after}`);
  const events: LoggedHit[] = [];
  let next = start;
  for (const row of rows) {
    if (row.first_offset === null) continue;
    const first = Number(row.first_offset);
    next = first + row.count - 1;
    if (row.payload) collect(events, { partition, first, after: start, types, payload: row.payload, size: row.size });
  }
  return { events, next: cursorOf(next), atHead: next === head };
}

/** One snapshot of the head and the segments; payloads only of those that hold a wanted type. */
function segmentsAfter(
  pool: Pool,
  partition: number,
  after: number,
  { max, types }: Pick<ReadOptions, 'max' | 'types'>,
): Promise<Row[]> {
  return runPrepared<Row>(
    pool,
    'intake segments',
    sql`
      with next_ones as (
        select first_offset, count, size, payload, ${types ?? null}::text[] is null or types && ${types ?? null} as wanted
        from intake_segments
        where partition = ${partition} and first_offset >= coalesce(
          (select first_offset from intake_segments
           where partition = ${partition} and first_offset <= ${after} + 1 order by first_offset desc limit 1), 0)
          and first_offset + count > ${after}::bigint + 1
        order by first_offset limit ${MAX_SEGMENTS}
      ), counted as (
        select *,
          sum(count) filter (where wanted) over upto as events,
          sum(size) filter (where wanted) over upto as bytes,
          sum(1) filter (where wanted) over upto as segments
        from next_ones window upto as (order by first_offset)
      )
      select next_offset, first_offset, count, size, case when wanted then payload end as payload
      from intake_heads left join counted
        on segments is null or segments = 1 or (events <= ${max} and bytes <= ${MAX_BYTES})
      where partition = ${partition}
      order by first_offset`,
  );
}

interface Packed {
  readonly partition: number;
  readonly first: number;
  readonly after: number;
  readonly types: readonly string[] | undefined;
  readonly payload: Buffer;
  readonly size: number;
}

function collect(events: LoggedHit[], { partition, first, after, types, payload, size }: Packed): void {
  let offset = first;
  for (const event of unpackEvents(payload, size, types)) {
    if (event && offset > after) events.push({ event, partition, offset });
    offset++;
  }
}
