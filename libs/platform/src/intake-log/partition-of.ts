import { createHash } from 'node:crypto';

const MAX_CACHED = 10_000;
const cache = new Map<string, number>();

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export function partitionOf(subject: string, partitions: number): number {
  let hash = cache.get(subject);
  if (hash === undefined) {
    hash = createHash('sha256').update(subject).digest().readUInt32BE(0);
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(subject, hash);
  }
  return hash % partitions;
}
