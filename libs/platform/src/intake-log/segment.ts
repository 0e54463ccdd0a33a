import type { EncodedHit } from './encoded-hit';
import { packEvents } from './segment-format';

/** Neighbouring events of one partition, packed; the unit the log stores, hashes and reads. */
export interface Segment {
  readonly partition: number;
  readonly count: number;
  /** Sorted. */
  readonly types: readonly string[];
  /** Length of the unpacked payload. */
  readonly size: number;
  /** Event times, epoch ms. */
  readonly minAt: number;
  readonly maxAt: number;
  readonly payload: Buffer;
}

const MAX_EVENTS = 4_096;
/** About so many characters of JSON ({@link EncodedHit.bytes}). */
const MAX_BYTES = 2 * 1024 * 1024;

/** Packs hits in their order, partition by partition. */
export async function packSegments(hits: readonly EncodedHit[]): Promise<Segment[]> {
  const partitions = new Set(hits.map(({ partition }) => partition));
  const groups = [...partitions]
    .sort((a, b) => a - b)
    .flatMap((one) => [...split(hits.filter(({ partition }) => partition === one))]);
  return Promise.all(groups.map(packSegment));
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
    bytes += hit.bytes;
  }
  if (part.length > 0) yield part;
}

async function packSegment(hits: readonly EncodedHit[]): Promise<Segment> {
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
    minAt,
    maxAt,
    ...(await packEvents(hits)),
  };
}
