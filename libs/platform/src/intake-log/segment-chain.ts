import { hash } from 'node:crypto';
import { sql } from '../database/sql';
import { LogTampered } from '../log/log-reader';

/** A stored segment without its payload. */
export interface SegmentHeader {
  readonly first_offset: string;
  readonly count: number;
  readonly size: number;
  /** What the chain covers beside the payload, as a text. */
  readonly header: string;
  readonly payload_hash: Buffer;
  readonly chain: Buffer;
}

/** The columns of a {@link SegmentHeader}; the same text as `intake_append` hashes. */
export const segmentHeader = sql`first_offset, count, size, payload_hash, chain,
  concat_ws('|', partition, first_offset, count, array_to_string(types, ','), format, size, min_at, max_at,
    (extract(epoch from recorded_at) * 1000)::bigint) as header`;

export interface InvalidSegment {
  readonly partition: number;
  /** Of the first event of the segment that is wrong, or that should be there. */
  readonly offset: number;
  readonly finding: SegmentFinding;
}

const FINDINGS = {
  missing: 'a segment is missing',
  inserted: 'a segment was inserted: it overlaps the one before, or lies above the head',
  header_changed: 'the header or the hash of the segment, or of the one before, was changed',
  payload_missing: 'the payload of the segment is missing',
  payload_changed: 'the payload of the segment was changed',
  head_changed: 'the head of the partition does not end the chain, or is missing',
  shortened: 'the events from here on, which were signed, are missing',
  rewritten: 'the segments up to here are not those that were read or signed before',
} as const;

export type SegmentFinding = keyof typeof FINDINGS;
export type PayloadFinding = Extract<SegmentFinding, `payload_${string}`>;

/** The beginning of every message about an intake log that is not what was written; none quotes data of a hit. */
export const INTAKE_LOG = 'The intake log';
export const INTAKE_LOG_CHANGED = `${INTAKE_LOG} is not what was written`;

/** A finding in words, for people. */
export const describeSegment = ({ partition, offset, finding }: InvalidSegment): string =>
  `partition ${partition}, offset ${offset}: ${FINDINGS[finding]}`;

export const tampered = (invalid: InvalidSegment): LogTampered =>
  new LogTampered(`${INTAKE_LOG_CHANGED}: ${describeSegment(invalid)}.`);

/** A place between two segments of a partition, and the chain hash up to it. */
export interface ChainPosition {
  /** Of the first event behind it. */
  readonly offset: number;
  readonly chain: Buffer;
}

const BEGINNING: ChainPosition = { offset: 0, chain: Buffer.alloc(32) };

/** The hash chain of one partition, followed from a position. */
export class SegmentChain {
  constructor(
    private readonly partition: number,
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
    this.position = behind(segment);
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
export const behind = ({ first_offset, count, chain }: SegmentHeader): ChainPosition => ({
  offset: Number(first_offset) + count,
  chain,
});

const chainHash = ({ header, payload_hash }: SegmentHeader, previous: Buffer): Buffer =>
  hash('sha256', Buffer.concat([previous, Buffer.from(header), payload_hash]), 'buffer');
