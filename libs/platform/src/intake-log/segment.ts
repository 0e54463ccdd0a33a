import { promisify } from 'node:util';
import { deflateRaw, deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { EncodedHit } from './encoded-hit';

/** Neighbouring events of one partition, packed; the unit the log stores, hashes and reads. */
export interface Segment {
  readonly partition: number;
  readonly count: number;
  /** Sorted. */
  readonly types: readonly string[];
  /** Bytes of the unpacked payload. */
  readonly size: number;
  readonly minAt: number;
  readonly maxAt: number;
  readonly payload: Buffer;
}

/** Format 1: the events as lines of JSON, raw deflate. */
export const SEGMENT_FORMAT = 1;

const MAX_EVENTS = 4_096;
const MAX_BYTES = 2 * 1024 * 1024;
const LEVEL = 4;
/** Below this a trip to the thread pool costs more than it takes off this thread. */
const ASYNC_FROM_BYTES = 64 * 1024;

const deflate = promisify(deflateRaw);

/** Packs hits in their order, partition by partition. */
export async function packSegments(hits: readonly EncodedHit[]): Promise<Segment[]> {
  const partitions = new Set(hits.map(({ partition }) => partition));
  const groups = [...partitions]
    .sort((a, b) => a - b)
    .flatMap((one) => [...split(hits.filter(({ partition }) => partition === one))]);
  return Promise.all(groups.map(packSegment));
}

/** The events of a payload of format 1. */
export function unpackSegment(payload: Buffer, size: number): ObservedEvent[] {
  const text = inflateRawSync(payload, { maxOutputLength: size, chunkSize: Math.max(64, size) }).toString();
  return JSON.parse(`[${text.replaceAll('\n', ',')}]`) as ObservedEvent[];
}

function* split(hits: readonly EncodedHit[]): Generator<EncodedHit[]> {
  let part: EncodedHit[] = [];
  let bytes = 0;
  for (const hit of hits) {
    if (part.length > 0 && (part.length >= MAX_EVENTS || bytes + hit.bytes > MAX_BYTES)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(hit);
    bytes += hit.bytes + 1;
  }
  if (part.length > 0) yield part;
}

async function packSegment(hits: readonly EncodedHit[]): Promise<Segment> {
  const plain = Buffer.from(hits.map(({ line }) => line).join('\n'));
  let minAt = Infinity;
  let maxAt = -Infinity;
  for (const { at } of hits) {
    minAt = Math.min(minAt, at);
    maxAt = Math.max(maxAt, at);
  }
  return {
    partition: hits[0]?.partition ?? 0,
    count: hits.length,
    types: [...new Set(hits.map(({ type }) => type))].sort(),
    size: plain.length,
    minAt,
    maxAt,
    payload:
      plain.length < ASYNC_FROM_BYTES
        ? deflateRawSync(plain, { level: LEVEL })
        : await deflate(plain, { level: LEVEL }),
  };
}
