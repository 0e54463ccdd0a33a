import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { LogReader } from '../log/log-reader';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** A hit to be stored. */
export interface IntakeItem {
  readonly event: ObservedEvent;
  /** Website, link or organization id; all hits of one subject are in one partition and therefore ordered. */
  readonly subject: string;
  /** How long another event with this id counts as a retry: never, 48 hours, or for ever (imports, repeated sends). */
  readonly dedupe: 'never' | '48h' | 'forever';
  /**
   * Id (32 hex digits) by which hits that are always sent together, unchanged, are deduplicated as one.
   * Absent = each hit by its own id, which costs one lookup per hit.
   */
  readonly batch?: string;
  /** W3C trace context of the request, where it is sampled; kept beside the log for a day. */
  readonly trace?: string | undefined;
}

export interface SendResult {
  /** Per hit, in order: stored, or a duplicate; `accepted` = durable, and judged when it is copied. */
  readonly outcomes: readonly ('stored' | 'duplicate' | 'accepted')[];
  /**
   * Per partition of these hits, where the newest of them is at the latest, duplicates included: a cursor of the log, or
   * `k` and an offset of the topic that is copied into it.
   */
  readonly positions: ReadonlyMap<number, string>;
}

/** An observed event with its position in the log. */
export interface LoggedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly offset: number;
}

/** What takes hits. */
export interface IntakeSender {
  /**
   * Resolves when every hit is durable; all of one call or none per partition.
   * @throws LogUnavailable when it is down: nothing of this call counts as accepted · OutcomeUnknown when some of it may
   * @throws HitTooLarge before anything is written
   */
  send(hits: readonly IntakeItem[]): Promise<SendResult>;
  /** Resolves while hits can be sent. @throws LogUnavailable */
  probe(): Promise<void>;
  /** Sends pending hits, then closes every connection. */
  close(): Promise<void>;
}

/** Port of the observed events: partitions, batches, no revision check. */
export interface IntakeLog extends IntakeSender, LogReader<LoggedHit> {}

/** An event over {@link MAX_HIT_BYTES}. */
export class HitTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HitTooLarge';
  }
}

/** Size as JSON in UTF-8. */
export const MAX_HIT_BYTES = 256 * 1024;

const hashes = new LRUCache<string, number>({
  max: 10_000,
  memoMethod: (subject) => createHash('sha256').update(subject).digest().readUInt32BE(0),
});

/** The partition of a subject: the first 32 bits of its SHA-256, modulo the fixed number of partitions. */
export const partitionOf = (subject: string, partitions: number): number => hashes.memo(subject) % partitions;
