import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { LogReader } from '../log/log-reader';

/** A hit on its way into the log. */
export interface Hit {
  readonly event: ObservedEvent;
  /** Website, link or organization id; all hits of one subject share a partition and so one order. */
  readonly subject: string;
  /** How long a second event with this id is taken for a retry: never, 48 hours, or for ever (imports, replays). */
  readonly dedupe: 'never' | '48h' | 'forever';
  /**
   * What hits that are always sent in one call, the same ones each time, are recognised by together: 32 hex digits.
   * Absent = each by its own id, which costs as many look-ups.
   */
  readonly batch?: string;
}

export interface SendResult {
  /** Per hit, in order: stored, or already there. */
  readonly outcomes: readonly ('stored' | 'duplicate')[];
  /** Per partition written to, a cursor at or after the newest of these hits; duplicates are behind it too. */
  readonly positions: ReadonlyMap<number, string>;
}

/** An observed event at its place in the log. */
export interface LoggedHit {
  readonly event: ObservedEvent;
  readonly partition: number;
  readonly offset: number;
}

/** Observed events: partitions, batches, no revision check. */
export interface IntakeLog extends LogReader<LoggedHit> {
  /**
   * Resolves when every hit is durable; all of one call or none per partition.
   * @throws LogUnavailable when the log is down: nothing of this call counts as accepted
   * @throws HitTooLarge before anything is written
   */
  send(hits: readonly Hit[]): Promise<SendResult>;
  /** Sends what waits, then releases every connection. */
  close(): Promise<void>;
}

/** An event over {@link MAX_HIT_BYTES}. */
export class HitTooLarge extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'HitTooLarge';
  }
}

/** As JSON in UTF-8. */
export const MAX_HIT_BYTES = 256 * 1024;
