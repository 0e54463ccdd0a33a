import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';

export type SegmentsVerdict =
  | { readonly valid: true; readonly segments: number; readonly events: number; readonly chain: string }
  | { readonly valid: false; readonly offset: number; readonly reason: SegmentsFault };

/**
 * A segment is missing (or out of its place) at the offset · one overlaps it · its header or chain hash is not what was
 * written · its payload is not · the head names another end than the last segment.
 */
export type SegmentsFault = 'missing' | 'inserted' | 'header_changed' | 'payload_changed' | 'head_changed';

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
  readonly intact: boolean;
}

const PAGE = 1_000;
const GENESIS = Buffer.alloc(32);

/**
 * Walks a partition's chain of hashes from its beginning and names the first place where it does not hold. Writers may
 * go on meanwhile. A payload that retention took away is vouched for by its stored hash.
 */
export async function verifySegments(pool: Pool, partition: number): Promise<SegmentsVerdict> {
  const [head] = await run<{ next_offset: string; chain: Buffer }>(
    pool,
    sql`select next_offset, chain from intake_heads where partition = ${partition}`,
  );
  const end = Number(head?.next_offset ?? 0);
  let segments = 0;
  let offset = 0;
  let chain: Buffer = GENESIS;
  for (let page = await pageFrom(pool, partition, -1, end); page.length > 0;) {
    for (const row of page) {
      const reason = faultOf(partition, row, offset, chain);
      if (reason) return { valid: false, offset: Math.min(offset, Number(row.first_offset)), reason };
      offset += row.count;
      chain = row.chain;
      segments++;
    }
    page = await pageFrom(pool, partition, Number(page.at(-1)?.first_offset), end);
  }
  if (offset < end) return { valid: false, offset, reason: 'missing' };
  if (head && !head.chain.equals(chain)) return { valid: false, offset, reason: 'head_changed' };
  return { valid: true, segments, events: offset, chain: chain.toString('hex') };
}

function faultOf(partition: number, row: Row, expected: number, previous: Buffer): SegmentsFault | undefined {
  if (Number(row.first_offset) > expected) return 'missing';
  if (Number(row.first_offset) < expected) return 'inserted';
  if (!row.intact) return 'payload_changed';
  return chainHash(partition, row, previous).equals(row.chain) ? undefined : 'header_changed';
}

/** The same bytes as `intake_append` hashes. */
function chainHash(partition: number, row: Row, previous: Buffer): Buffer {
  const { first_offset, count, types, format, size, min_at, max_at, recorded_at, payload_hash } = row;
  const header = [partition, first_offset, count, types.join(','), format, size, min_at, max_at, recorded_at.getTime()];
  return createHash('sha256').update(previous).update(header.join('|')).update(payload_hash).digest();
}

function pageFrom(pool: Pool, partition: number, after: number, end: number): Promise<Row[]> {
  return run<Row>(
    pool,
    sql`
      select first_offset, count, types, format, size, min_at, max_at, recorded_at, payload_hash, chain,
        payload is null or sha256(payload) = payload_hash as intact
      from intake_segments
      where partition = ${partition} and first_offset > ${after} and first_offset < ${end}
      order by first_offset limit ${PAGE}`,
  );
}
