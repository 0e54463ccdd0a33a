import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const hashes = new LRUCache<string, number>({
  max: 10_000,
  memoMethod: (subject) => createHash('sha256').update(subject).digest().readUInt32BE(0),
});

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export const partitionOf = (subject: string, partitions: number): number => hashes.memo(subject) % partitions;
