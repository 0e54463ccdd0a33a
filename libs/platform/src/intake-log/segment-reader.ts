import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { observedVersions } from '@ledgerline/contracts/events/event-versions';
import { runPrepared } from '../database/pool';
import { sql } from '../database/sql';
import { type Cursor, EpochChanged, type LogBatch, type ReadOptions } from '../log/log-reader';
import { countUnknown } from '../log/unknown-events';
import type { LoggedHit } from './intake-log';
import { cursorOf, offsetOf } from './intake-log-tables';
import {
  behind,
  INTAKE_LOG,
  SegmentChain,
  segmentHeader,
  tampered,
  type ChainPosition,
  type InvalidSegment,
  type PayloadFinding,
  type SegmentHeader,
} from './segment-chain';
import { unpackEvents } from './segment-format';

/** Of the partition, in each row. */
interface Head {
  readonly next_offset: string;
  /** Only where the log may end. */
  readonly head_chain: Buffer | null;
  /** Of a segment above the head. */
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

/**
 * The next whole segments of a partition, as many as `max` allows but at least one. A segment is only read where it
 * extends the chain of the one before, and the next one, or the head, extends its own.
 */
export async function readSegments(
  pool: Pool,
  partition: number,
  after: Cursor,
  { max, types, digest, signal }: ReadOptions,
): Promise<LogBatch<LoggedHit>> {
  signal?.throwIfAborted();
  const start = offsetOf(after);
  const rows = await segmentsAfter(pool, partition, start, { max, types });
  signal?.throwIfAborted();
  const { segments, end, atHead } = proven(partition, start, rows, digest);
  const events: LoggedHit[] = [];
  for (const { first_offset, payload, size } of segments)
    if (payload) collect(events, { partition, first: Number(first_offset), after: start, types, payload, size });
  return { events, next: segments.length === 0 ? after : cursorOf(end.offset - 1), atHead, digest: digestOf(end) };
}

interface Proven {
  readonly segments: readonly Segment[];
  /** Behind the last of them. */
  readonly end: ChainPosition;
  readonly atHead: boolean;
}

const digestOf = ({ offset, chain }: ChainPosition): string => `${offset - 1}:${chain.toString('hex')}`;

/** @throws LogTampered where the first of the segments is not what was written; a later one ends the batch */
function proven(partition: number, start: number, rows: readonly Row[], digest: string | undefined): Proven {
  const head = rows.at(-1);
  if (!head) throw tampered({ partition, offset: 0, finding: 'head_changed' });
  if (head.above !== null) throw tampered({ partition, offset: Number(head.above), finding: 'inserted' });
  if (start >= Number(head.next_offset)) throw new EpochChanged(shortened(partition, start));
  const found = rows.filter((row): row is Head & Segment => row.first_offset !== null);
  const previous = found[0] && behind(found[0]).offset <= start + 1 ? found.shift() : undefined;
  const chain = new SegmentChain(partition, previous && behind(previous));
  // a checkpoint that an earlier program moved has the digest of another cursor
  if (digest?.startsWith(`${start}:`) && digest !== digestOf(chain.position))
    throw tampered({ partition, offset: start, finding: 'rewritten' });
  return follow(chain, found, head);
}

const shortened = (partition: number, start: number): string =>
  `${INTAKE_LOG} was shortened: partition ${partition} ends before offset ${start}, up to which it was read.`;

/** The last segment that fits is left to the next read, unless the log ends with it: nothing extends its chain yet. */
function follow(chain: SegmentChain, found: readonly Segment[], head: Head): Proven {
  const segments: Segment[] = [];
  let invalid: InvalidSegment | undefined;
  for (const segment of found) {
    invalid = chain.follow(segment, payloadFinding(segment));
    if (invalid) break;
    segments.push(segment);
  }
  invalid ??= chain.mismatchAt({ offset: Number(head.next_offset), chain: head.head_chain ?? NONE });
  if (!invalid && segments.at(-1)?.fits !== false) return { segments, end: chain.position, atHead: true };
  segments.pop();
  const last = segments.at(-1);
  if (!last) throw tampered(invalid ?? chain.invalid('missing'));
  return { segments, end: behind(last), atHead: false };
}

const NONE = Buffer.alloc(0);

function payloadFinding({ fits, has_payload, payload, payload_hash }: Segment): PayloadFinding | undefined {
  if (fits && !has_payload) return 'payload_missing';
  return payload === null || hash('sha256', payload, 'buffer').equals(payload_hash) ? undefined : 'payload_changed';
}

/**
 * One snapshot of the head and the segments, from the one before the cursor to the one behind the batch; payloads only of
 * those of the batch that hold a wanted type.
 */
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
      with head as materialized (
        select next_offset, chain as head_chain, (
          select first_offset from intake_segments above
          where above.partition = h.partition and first_offset >= next_offset order by first_offset limit 1
        ) as above
        from intake_heads h where partition = ${partition}
      ), next_ones as (
        select *, (first_offset + count > ${after}::bigint + 1
          and (${types ?? null}::text[] is null or types && ${types ?? null} or not types <@ ${observedVersions.types}))::integer as wanted
        from intake_segments
        where partition = ${partition} and first_offset >= coalesce(
          (select first_offset from intake_segments
           where partition = ${partition} and first_offset <= ${after} and first_offset + count <= ${after}::bigint + 1
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
      from head left join shown on true order by first_offset`,
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
