import type { Logger } from '../logging/logger';

/** A position in a log, opaque to callers. The empty string is the beginning. */
export type Cursor = string;

export const BEGINNING: Cursor = '';

/** Where a reader stands. */
export interface ReaderPosition {
  readonly cursor: Cursor;
  /** The digest of the log up to the cursor (see LogBatch); undefined for a position of which none is known. */
  readonly digest?: string | undefined;
}

export interface LogBatch<E> {
  readonly events: readonly E[];
  /** Where to continue; advances even if the filter excluded every event. */
  readonly next: Cursor;
  /** True if the log had no more events when this batch was read. */
  readonly atHead: boolean;
  /**
   * By which the log is recognised that was read up to `next`: in an event store the event there or before it, by its
   * position, id and hash, in the intake log the chain hash. Undefined before the first event.
   */
  readonly digest?: string | undefined;
}

export interface ReadOptions {
  /** Approximate maximum number of events (a segment is never split if that would need a second read). */
  readonly max: number;
  /** Only events of these types; undefined = all. */
  readonly types?: readonly string[];
  /** Events that name none of these ids may be left out; undefined = none is. Ids of events, or 32 hex digits. */
  readonly naming?: readonly string[] | undefined;
  /** The digest of the batch that ended at the cursor: whether what was read is still there is checked by it. */
  readonly digest?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  /** The types that the caller reads, undefined = all: events of others need not end the wait. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A log that can be read from any position, ordered per partition, without missing events that commit late. */
export interface LogReader<E> {
  /** Changes when the log is restored, recreated or truncated: cursors of another epoch are invalid. */
  epoch(): Promise<string>;
  /** Partition numbers, 0 to n-1; fixed for the life of an epoch. */
  partitions(): Promise<number>;
  /** Cursor of the newest event of a partition; BEGINNING when it is empty. */
  head(partition: number): Promise<Cursor>;
  /**
   * @throws EpochChanged if `after` is beyond the head, the log is not the one that the digest is of, or that is of
   * another cursor
   * @throws LogTampered where what follows is not what was written
   */
  read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<E>>;
  /** Resolves when the partition may have events after the cursor, or after `timeoutMs`. */
  waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void>;
  /** Negative, zero or positive like a sort function; cursors of one partition only. */
  compare(a: Cursor, b: Cursor): number;
}

/** The log was restored, recreated or truncated behind a checkpoint. */
export class EpochChanged extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EpochChanged';
  }
}

/** A checkpoint whose digest is of another cursor: what lies between both was read twice, or not at all. */
export const checkpointMoved = (cursor: Cursor, digest: string): EpochChanged =>
  new EpochChanged(
    `The checkpoint was moved: it is at ${cursor === BEGINNING ? 'the beginning' : `position ${cursor}`}, and what was read last is "${digest.slice(0, 60)}". Put it back as it was, or rebuild what it belongs to: npm run projections -- rebuild <group> --accept`,
  );

/** The log is not what was written; what comes before the place that the message names was read already. */
export class LogTampered extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogTampered';
  }
}

/**
 * Returns whether a log is not the one that was read: then a reader stops, and goes on by itself only where that is
 * undone.
 */
export const isReplaced = (error: unknown): error is EpochChanged | LogTampered =>
  error instanceof EpochChanged || error instanceof LogTampered;

/** The log is unreachable or did not respond in time; nothing was stored. */
export class LogUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogUnavailable';
  }
}

/** Nothing is stored, as the log is not the one that was read; the message is one sentence for people. */
export class LogReplaced extends LogUnavailable {
  constructor(message: string) {
    super(message);
    this.name = 'LogReplaced';
  }
}

/** A stream can neither be read nor written any more, for good; the message is one sentence for people. */
export class StreamDead extends LogUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StreamDead';
  }
}

/** A history takes too long to read just now; the message is one sentence for people. */
export class HistoryUnavailable extends LogUnavailable {
  constructor(message: string) {
    super(message);
    this.name = 'HistoryUnavailable';
  }
}

/** The log was lost while something was stored there: it is, or it is not, and the same ids sent again bring it about once. */
export class OutcomeUnknown extends LogUnavailable {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutcomeUnknown';
  }
}

/** For what follows a first part that is stored: where it cannot be completed now, the outcome of the whole is unknown. */
export const asOutcomeUnknown = (error: unknown): unknown =>
  error instanceof LogUnavailable && !(error instanceof OutcomeUnknown)
    ? new OutcomeUnknown(error.message, { cause: error })
    : error;

/** Events of a type, or of a version of it, that this program does not know. */
interface UnknownEvents {
  readonly log: 'event store' | 'intake log';
  readonly type: string;
  readonly version: number;
}

/** Names that other clients have appended under are not bounded, unlike the memory for them. */
const MAX_KINDS = 100;
const OTHERS = 'other';

const counts = new Map<string, UnknownEvents & { events: number }>();
let logger: Pick<Logger, 'warn'> | undefined;

/** Counts events that a reader of this process passes over; the first of a kind is logged. */
export function countUnknown({ log, type, version }: UnknownEvents, events = 1): void {
  const kind = `${log} ${type} ${version}`;
  const known = counts.get(kind);
  if (known) known.events += events;
  else if (counts.size >= MAX_KINDS && type !== OTHERS) countUnknown({ log, type: OTHERS, version: 0 }, events);
  else {
    const counted = { log, type, version, events };
    counts.set(kind, counted);
    if (logger) report(counted, logger);
  }
}

/** As often as they were read. */
export const unknownEvents = (): Iterable<UnknownEvents & { readonly events: number }> => counts.values();

/** Where this process logs kinds of events that it does not know, those that it has read already included. */
export function logUnknownEvents(to: Pick<Logger, 'warn'>): void {
  logger = to;
  for (const counted of counts.values()) report(counted, to);
}

const report = ({ log, type, version }: UnknownEvents, to: Pick<Logger, 'warn'>) =>
  to.warn({ log, type, version }, 'events that this version does not know are passed over');
