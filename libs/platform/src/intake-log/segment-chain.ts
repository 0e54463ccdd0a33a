import { hash } from 'node:crypto';
import { sql } from '../database/sql';
import { LogTampered } from '../log/log-reader';

/** A stored segment without its payload. */
export interface SegmentHeader {
  readonly first_offset: string;
  readonly count: number;
  readonly size: number;
  /** The text that the chain covers beside the payload. */
  readonly header: string;
  /** As it was written first. */
  readonly payload_hash: Buffer;
  readonly chain: Buffer;
  /** In their order; null = the payload is as it was written first. */
  readonly rewrites: readonly Rewrite[] | null;
}

/** A payload was written anew without hits that are erased. Hashes are in hex. */
export interface Rewrite {
  readonly number: number;
  readonly before: string;
  readonly after: string;
  /** Unpacked, bytes. */
  readonly size: number;
  /** The receipt is an event of the stream of an erasure. */
  readonly organizationId: string;
  readonly erasureId: string;
  readonly eventId: string;
  readonly chain: string;
}

/** The columns of a {@link SegmentHeader}; the same text as `intake_append` hashes. */
export const segmentHeader = sql`(
    select json_agg(json_build_object('number', number, 'before', encode(before_hash, 'hex'), 'after', encode(after_hash, 'hex'),
      'size', r.size, 'organizationId', organization_id, 'erasureId', erasure_id, 'eventId', event_id, 'chain', encode(r.chain, 'hex'))
      order by number)
    from intake_rewrites r where segment_partition = partition and segment_offset = first_offset
  ) as rewrites, first_offset, count, size, payload_hash, chain,
  concat_ws('|', partition, first_offset, count, array_to_string(types, ','), format, size, min_at, max_at,
    (extract(epoch from recorded_at) * 1000)::bigint) as header`;

export interface InvalidSegment {
  readonly partition: number;
  /** The offset of the first event of the segment that is wrong, or that should be there. */
  readonly offset: number;
  readonly finding: SegmentFinding;
}

const FINDINGS = {
  missing: 'a segment is missing',
  inserted: 'a segment was inserted: it overlaps the one before, or lies above the head',
  header_changed: 'the header or the hash of the segment, or of the one before, was changed',
  payload_missing: 'the payload of the segment is missing',
  payload_changed: 'the payload of the segment was changed',
  payload_forged: 'the payload of the segment was rewritten without a receipt, or a row beside it was changed',
  payload_restored: 'the segment has hits again that a receipt of an erasure says are gone',
  head_changed: 'the head of the partition does not end the chain, or is missing',
  shortened: 'the events from here on, which were signed, are missing',
  rewritten: 'the segments up to here are not those that were read or signed before',
} as const;

export type SegmentFinding = keyof typeof FINDINGS;
export type PayloadFinding = Extract<SegmentFinding, `payload_${string}`>;

/** The beginning of every message about an intake log that is not what was written; none quotes data of a hit. */
export const INTAKE_LOG_LABEL = 'The intake log';
export const INTAKE_LOG_CHANGED = `${INTAKE_LOG_LABEL} is not what was written`;

/** A finding in words, for people. */
export const describeInvalidSegment = ({ partition, offset, finding }: InvalidSegment): string =>
  `partition ${partition}, offset ${offset}: ${FINDINGS[finding]}`;

export const tampered = (invalid: InvalidSegment): LogTampered =>
  new LogTampered(`${INTAKE_LOG_CHANGED}: ${describeInvalidSegment(invalid)}.`);

/** A place between two segments of a partition, and the chain hash up to it. */
export interface ChainPosition {
  /** The offset of the first event behind it. */
  readonly offset: number;
  readonly chain: Buffer;
}

const BEGINNING: ChainPosition = { offset: 0, chain: Buffer.alloc(32) };

/** The hash chain of one partition, followed from a position. */
export class SegmentChain {
  constructor(
    readonly partition: number,
    public position: ChainPosition = BEGINNING,
  ) {}

  /** Moves behind a segment, unless that is not the next one, or something is wrong with its payload. */
  follow(segment: SegmentHeader, payload: PayloadFinding | undefined): InvalidSegment | undefined {
    const { offset, chain } = this.position;
    const first = Number(segment.first_offset);
    if (first > offset) return this.invalid('missing');
    if (first < offset) return this.invalid('inserted', first);
    if (payload) return this.invalid(payload);
    if (!chainHash(segment, chain).equals(segment.chain)) return this.invalid('header_changed');
    this.position = positionBehindSegment(segment);
    return undefined;
  }

  /** Why the chain does not end here, if the head of the partition is another one. */
  mismatchAt(head: ChainPosition): InvalidSegment | undefined {
    const { offset, chain } = this.position;
    if (offset < head.offset) return this.invalid('missing');
    return offset === head.offset && chain.equals(head.chain) ? undefined : this.invalid('head_changed');
  }

  invalid(finding: SegmentFinding, offset = this.position.offset): InvalidSegment {
    return { partition: this.partition, offset, finding };
  }
}

/** The position behind a segment. */
export const positionBehindSegment = ({ first_offset, count, chain }: SegmentHeader): ChainPosition => ({
  offset: Number(first_offset) + count,
  chain,
});

/** Returns what the payload is by now, after its rewrites; undefined where these are not what was written. */
export function currentPayload(
  { first_offset, size, payload_hash, chain, rewrites }: SegmentHeader,
  partition: number,
) {
  let current = { hash: payload_hash.toString('hex'), size, chain: chain.toString('hex') };
  for (const [at, rewrite] of (rewrites ?? []).entries()) {
    const { number, before, after } = rewrite;
    const isNext = number === at + 1 && before === current.hash;
    if (!isNext || rewrite.chain !== rewriteHash(rewrite, { partition, offset: Number(first_offset) }, current.chain))
      return undefined;
    current = { hash: after, size: rewrite.size, chain: rewrite.chain };
  }
  return current;
}

/** Returns what chains a rewrite of a segment to the one before. */
export function rewriteHash(
  { number, before, after, size, organizationId, erasureId, eventId }: Omit<Rewrite, 'chain'>,
  { partition, offset }: { readonly partition: number; readonly offset: number },
  previous: string,
): string {
  const text = [partition, offset, number, before, after, size, organizationId, erasureId, eventId].join('|');
  return hash('sha256', Buffer.concat([Buffer.from(previous, 'hex'), Buffer.from(text)]), 'hex');
}

const chainHash = ({ header, payload_hash }: SegmentHeader, previous: Buffer): Buffer =>
  hash('sha256', Buffer.concat([previous, Buffer.from(header), payload_hash]), 'buffer');
