import { createHash } from 'node:crypto';

const MAX_KNOWN = 10_000;
const known = new Map<string, number>();

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export function partitionOf(subject: string, partitions: number): number {
  let hash = known.get(subject);
  if (hash === undefined) {
    hash = createHash('sha256').update(subject).digest().readUInt32BE(0);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(subject, hash);
  }
  return hash % partitions;
}
