import { createHash } from 'node:crypto';

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export function partitionOf(subject: string, partitions: number): number {
  return createHash('sha256').update(subject).digest().readUInt32BE(0) % partitions;
}
