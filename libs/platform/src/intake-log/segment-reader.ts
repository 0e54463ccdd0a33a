import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { observedVersions } from '@ledgerline/contracts/events/event-versions';
import { runPrepared } from '../database/pool';
import { sql } from '../database/sql';
import {
  checkpointMoved,
  type Cursor,
  EpochChanged,
  type LogBatch,
  type ReadOptions,
  countUnknown,
} from '../log/log-reader';
import { type LoggedHit, offsetCursor, offsetOf } from './intake-log';
import {
  positionBehindSegment,
  currentPayload,
  INTAKE_LOG_LABEL,
  SegmentChain,
  segmentHeader,
  tampered,
  type ChainPosition,
  type InvalidSegment,
  type PayloadFinding,
  type SegmentHeader,
} from './segment-chain';
import { namesAny, unpackEvents } from './segment-format';

/** The head of the partition, in each row. */
interface Head {
  /** From 1: which of the partitions that are read. */
  readonly place: number;
  readonly next_offset: string;
  /** Only where the log may end. */
  readonly head_chain: Buffer | null;
  /** The mark of a segment above the head. */
  readonly above: string | null;
}

interface Segment extends SegmentHeader {
  /** False for the one behind the batch. */
  readonly fits: boolean;
  readonly has_payload: boolean;
  /** Null also where the segment holds no wanted type. */
  readonly payload: Buffer | null;
}

type Row = Head & (Segment | { readonly first_offset: null });

/** Segments looked at by one read, and about how many unpacked bytes it may bring. */
const MAX_SEGMENTS = 2_000;
const MAX_BYTES = 32 * 1024 * 1024;

interface Reading {
  readonly partition: number;
  /** The offset. */
  readonly after: number;
  readonly options: ReadOptions;
  readonly resolve: (batch: LogBatch<LoggedHit>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Reads the next whole segments of a partition, as many as `max` allows but at least one. A segment is only read where
 * it extends the chain of the one before, and the next one, or the head, extends its own. Partitions that are read at the
 * same moment, for the same number and types of events, are read by one statement.
 */
export class SegmentReader {
  private waiting: Reading[] = [];

  constructor(private readonly pool: Pool) {}

  read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<LoggedHit>> {
    return new Promise((resolve, reject) => {
      if (this.waiting.length === 0) setImmediate(() => this.readWaiting());
      this.waiting.push({ partition, after: offsetOf(after), options, resolve, reject });
    });
  }

  private readWaiting(): void {
    const waiting = this.waiting.splice(0);
    while (waiting.length > 0) {
      const { max, types } = waiting[0]?.options ?? { max: 0 };
      const isAlike = ({ options }: Reading) => options.max === max && options.types === types;
      const alike = waiting.filter(isAlike);
      waiting.splice(0, Infinity, ...waiting.filter((each) => !isAlike(each)));
      void readSegments(this.pool, alike, { max, types });
    }
  }
}

/** Settles all of them. */
async function readSegments(pool: Pool, readings: readonly Reading[], wanted: Wanted): Promise<void> {
  try {
    const found = await segmentsAfter(pool, readings, wanted);
    readings.forEach((reading, at) => {
      const rows = found.filter(({ place }) => place === at + 1);
      try {
        reading.resolve(batchOf(reading, rows));
      } catch (error) {
        reading.reject(error);
      }
    });
  } catch (error) {
    for (const { reject } of readings) reject(error);
  }
}

function batchOf({ partition, after, options }: Reading, rows: readonly Row[]): LogBatch<LoggedHit> {
  const { types, naming, digest, signal } = options;
  signal?.throwIfAborted();
  const { segments, end, atHead } = proven(partition, after, rows, digest);
  const events: LoggedHit[] = [];
  for (const segment of segments) {
    const { first_offset, payload, rewrites } = segment;
    const size = rewrites?.at(-1)?.size ?? segment.size;
    if (payload && (naming === undefined || namesAny(payload, size, naming)))
      collect(events, { partition, first: Number(first_offset), after, types, payload, size });
  }
  return { events, next: offsetCursor(segments.length === 0 ? after : end.offset - 1), atHead, digest: digestOf(end) };
}

interface Proven {
  readonly segments: readonly Segment[];
  /** Behind the last of them. */
  readonly end: ChainPosition;
  readonly atHead: boolean;
}

const digestOf = ({ offset, chain }: ChainPosition): string => `${offset - 1}:${chain.toString('hex')}`;

/** Returns whether a digest is of a cursor, whatever the log has there. */
export const isDigestOf = (cursor: Cursor, digest: string): boolean => digest.startsWith(`${offsetOf(cursor)}:`);

/** @throws LogTampered where the first of the segments is not what was written; a later one ends the batch */
function proven(partition: number, start: number, rows: readonly Row[], digest: string | undefined): Proven {
  const head = rows.at(-1);
  if (!head) throw tampered({ partition, offset: 0, finding: 'head_changed' });
  if (head.above !== null) throw tampered({ partition, offset: Number(head.above), finding: 'inserted' });
  if (start >= Number(head.next_offset)) throw new EpochChanged(shortened(partition, start));
  const found = rows.filter((row): row is Head & Segment => row.first_offset !== null);
  const previous = found[0] && positionBehindSegment(found[0]).offset <= start + 1 ? found.shift() : undefined;
  const chain = new SegmentChain(partition, previous && positionBehindSegment(previous));
  if (digest !== undefined && digest !== digestOf(chain.position)) {
    if (!isDigestOf(offsetCursor(start), digest)) throw checkpointMoved(offsetCursor(start), digest);
    throw tampered({ partition, offset: start, finding: 'rewritten' });
  }
  return follow(chain, found, head);
}

const shortened = (partition: number, start: number): string =>
  `${INTAKE_LOG_LABEL} was shortened: partition ${partition} ends before offset ${start}, up to which it was read.`;

/** The last segment that fits is left to the next read, unless the log ends with it: nothing extends its chain yet. */
function follow(chain: SegmentChain, found: readonly Segment[], head: Head): Proven {
  const segments: Segment[] = [];
  let invalid: InvalidSegment | undefined;
  for (const segment of found) {
    invalid = chain.follow(segment, payloadFinding(segment, chain.partition));
    if (invalid) break;
    segments.push(segment);
  }
  invalid ??= chain.mismatchAt({ offset: Number(head.next_offset), chain: head.head_chain ?? NONE });
  if (!invalid && segments.at(-1)?.fits !== false) return { segments, end: chain.position, atHead: true };
  segments.pop();
  const last = segments.at(-1);
  if (!last) throw tampered(invalid ?? chain.invalid('missing'));
  return { segments, end: positionBehindSegment(last), atHead: false };
}

const NONE = Buffer.alloc(0);

function payloadFinding(segment: Segment, partition: number): PayloadFinding | undefined {
  const { fits, has_payload, payload } = segment;
  if (fits && !has_payload) return 'payload_missing';
  if (payload === null) return undefined;
  const current = currentPayload(segment, partition);
  if (!current) return 'payload_forged';
  return hash('sha256', payload, 'hex') === current.hash ? undefined : 'payload_changed';
}

type Wanted = Pick<ReadOptions, 'max' | 'types'>;

/**
 * One snapshot of the heads and the segments, from the one before each cursor to the one behind the batch; payloads only
 * of those of the batch that hold a wanted type.
 */
function segmentsAfter(
  pool: Pool,
  readings: readonly Pick<Reading, 'partition' | 'after'>[],
  { max, types }: Wanted,
): Promise<Row[]> {
  return runPrepared<Row>(
    pool,
    'intake segments',
    sql`
      select place::integer, found.*
      from unnest(${readings.map(({ partition }) => partition)}::integer[], ${readings.map(({ after }) => after)}::bigint[])
        with ordinality as reading (partition, after, place)
      cross join lateral (
      with head as materialized (
        select next_offset, chain as head_chain, (
          select first_offset from intake_segments above
          where above.partition = h.partition and first_offset >= next_offset order by first_offset limit 1
        ) as above
        from intake_heads h where partition = reading.partition
      ), next_ones as (
        select *, (first_offset + count > reading.after + 1
          and (${types ?? null}::text[] is null or types && ${types ?? null} or not types <@ ${observedVersions.types}))::integer as wanted
        from intake_segments
        where partition = reading.partition and first_offset >= coalesce(
          (select first_offset from intake_segments
           where partition = reading.partition and first_offset <= reading.after
             and first_offset + count <= reading.after + 1
           order by first_offset desc limit 1), 0)
        order by first_offset limit ${MAX_SEGMENTS}
      ), counted as (
        select *,
          coalesce(sum(count * wanted) over earlier, 0) as events,
          coalesce(sum(size * wanted) over earlier, 0) as bytes,
          coalesce(sum(wanted) over earlier, 0) as segments
        from next_ones window earlier as (order by first_offset rows between unbounded preceding and 1 preceding)
      ), shown as (
        select *, segments + wanted <= 1
          or (events + count * wanted <= ${max} and bytes + size * wanted <= ${MAX_BYTES}) as fits
        from counted where segments <= 1 or (events <= ${max} and bytes <= ${MAX_BYTES})
      )
      select next_offset, above, fits, payload is not null as has_payload, case when fits and wanted = 1 then payload end as payload,
        case when first_offset + count < next_offset then null else head_chain end as head_chain, ${segmentHeader}
      from head left join shown on true) found
      order by place, first_offset`,
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

const onUnknown = (type: string, version: number, events: number) =>
  countUnknown({ log: 'intake log', type, version }, events);

function collect(events: LoggedHit[], { partition, first, after, types, payload, size }: Packed): void {
  let offset = first;
  for (const event of unpackEvents(payload, size, { types, onUnknown })) {
    if (event && offset > after) events.push({ event, partition, offset });
    offset++;
  }
}
