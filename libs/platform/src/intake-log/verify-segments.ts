import { createHash } from 'node:crypto';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { readHeads, readPartitions } from './intake-log-tables';

/** What was proven of one partition or of the whole intake log. */
export interface SegmentsVerdict {
  readonly valid: boolean;
  readonly segments: number;
  readonly events: number;
  /** Segments of which only the header is left; their stored hash keeps the chain whole. */
  readonly withoutPayload: number;
  readonly firstInvalid?: InvalidSegment;
}

export interface InvalidSegment {
  readonly partition: number;
  /** Of the first event of the segment that is wrong, or that should be there. */
  readonly offset: number;
  readonly finding: SegmentFinding;
}

/**
 * A segment is missing (or out of its place) at the offset · one overlaps it · its header or chain hash is not what was
 * written · its payload is not · the head names another end than the last segment, or is missing.
 */
export type SegmentFinding = 'missing' | 'inserted' | 'header_changed' | 'payload_changed' | 'head_changed';

interface Row {
  readonly first_offset: string;
  readonly count: number;
  readonly types: readonly string[];
  readonly format: number;
  readonly size: number;
  readonly min_at: string;
  readonly max_at: string;
  readonly recorded_at: Date;
  readonly payload_hash: Buffer;
  readonly chain: Buffer;
  readonly has_payload: boolean;
  readonly is_intact: boolean;
}

interface Head {
  readonly next_offset: string;
  readonly chain: Buffer;
}

/** Headers in one read; the database hashes the payloads, which never leave it. */
const PAGE = 200;
const GENESIS = Buffer.alloc(32);

/**
 * Walks the hash chains of all partitions, one after another and in constant memory, and stops at the first place that
 * is wrong. Writers may go on meanwhile: what they add is not looked at.
 */
export async function verifyIntakeLog(
  database: Queryable,
  onProgress: (segments: number) => void = () => undefined,
): Promise<SegmentsVerdict> {
  const [heads, count = 0] = await Promise.all([readHeads(database), readPartitions(database)]);
  const partitions = Math.max(count, ...[...heads.keys()].map((partition) => partition + 1));
  let total: SegmentsVerdict = { valid: true, segments: 0, events: 0, withoutPayload: 0 };
  for (let partition = 0; partition < partitions && total.valid; partition += 1) {
    const before = total.segments;
    const own = await verifySegments(database, partition, (segments) => onProgress(before + segments));
    total = {
      ...own,
      segments: total.segments + own.segments,
      events: total.events + own.events,
      withoutPayload: total.withoutPayload + own.withoutPayload,
    };
  }
  return total;
}

/** Walks the hash chain of one partition from its beginning. */
export async function verifySegments(
  database: Queryable,
  partition: number,
  onProgress: (segments: number) => void = () => undefined,
): Promise<SegmentsVerdict> {
  const [head] = await run<Head>(
    database,
    sql`select next_offset, chain from intake_heads where partition = ${partition}`,
  );
  const walk = new SegmentWalk(partition);
  if (!head) return walk.invalid(0, 'head_changed');
  const end = Number(head.next_offset);
  for (let page = await pageFrom(database, partition, -1, end); page.length > 0;) {
    for (const row of page) {
      const invalid = walk.see(row);
      if (invalid) return invalid;
    }
    onProgress(walk.segments);
    page = await pageFrom(database, partition, Number(page.at(-1)?.first_offset), end);
  }
  const beyond = await beyondHead(database, partition);
  return beyond === undefined ? walk.end(head) : walk.invalid(beyond, 'inserted');
}

/** Writers add a segment and move the head in one transaction, so a snapshot has none above the head. */
async function beyondHead(database: Queryable, partition: number): Promise<number | undefined> {
  const [found] = await run<{ offset: string }>(
    database,
    sql`
      select s.first_offset as offset from intake_segments s join intake_heads h using (partition)
      where s.partition = ${partition} and s.first_offset >= h.next_offset order by 1 limit 1`,
  );
  return found && Number(found.offset);
}

/** Walks up a chain to the first place that is wrong. */
class SegmentWalk {
  segments = 0;
  private offset = 0;
  private withoutPayload = 0;
  private chain: Buffer = GENESIS;

  constructor(private readonly partition: number) {}

  /** The verdict if the chain is broken here. */
  see(row: Row): SegmentsVerdict | undefined {
    const finding = this.findingOf(row);
    if (finding) return this.invalid(Math.min(this.offset, Number(row.first_offset)), finding);
    this.offset += row.count;
    this.chain = row.chain;
    this.segments += 1;
    if (!row.has_payload) this.withoutPayload += 1;
    return undefined;
  }

  end(head: Head): SegmentsVerdict {
    if (this.offset < Number(head.next_offset)) return this.invalid(this.offset, 'missing');
    if (!head.chain.equals(this.chain)) return this.invalid(this.offset, 'head_changed');
    return { valid: true, ...this.counts() };
  }

  invalid(offset: number, finding: SegmentFinding): SegmentsVerdict {
    return { valid: false, ...this.counts(), firstInvalid: { partition: this.partition, offset, finding } };
  }

  private counts() {
    return { segments: this.segments, events: this.offset, withoutPayload: this.withoutPayload };
  }

  private findingOf(row: Row): SegmentFinding | undefined {
    if (Number(row.first_offset) > this.offset) return 'missing';
    if (Number(row.first_offset) < this.offset) return 'inserted';
    if (!row.is_intact) return 'payload_changed';
    return chainHash(this.partition, row, this.chain).equals(row.chain) ? undefined : 'header_changed';
  }
}

/** The same bytes as `intake_append` hashes. */
function chainHash(partition: number, row: Row, previous: Buffer): Buffer {
  const { first_offset, count, types, format, size, min_at, max_at, recorded_at, payload_hash } = row;
  const header = [partition, first_offset, count, types.join(','), format, size, min_at, max_at, recorded_at.getTime()];
  return createHash('sha256').update(previous).update(header.join('|')).update(payload_hash).digest();
}

function pageFrom(database: Queryable, partition: number, after: number, end: number): Promise<Row[]> {
  return run<Row>(
    database,
    sql`
      select first_offset, count, types, format, size, min_at, max_at, recorded_at, payload_hash, chain,
        payload is not null as has_payload, payload is null or sha256(payload) = payload_hash as is_intact
      from intake_segments
      where partition = ${partition} and first_offset > ${after} and first_offset < ${end}
      order by first_offset limit ${PAGE}`,
  );
}
