/** A place in a log, opaque to callers. The empty string is the beginning. */
export type Cursor = string;

export const BEGINNING: Cursor = '';

export interface LogBatch<E> {
  readonly events: readonly E[];
  /** Where to go on from; moves even when the filter dropped everything that was looked at. */
  readonly next: Cursor;
  /** True when nothing more was in the log when this batch was read. */
  readonly atHead: boolean;
}

export interface ReadOptions {
  /** At most about so many events (a segment is never split if that would need a second read). */
  readonly max: number;
  /** Only events of these types; undefined = all. */
  readonly types?: readonly string[];
  readonly signal?: AbortSignal;
}

/** A log that can be read from any place, in one order per partition, without missing what commits late. */
export interface LogReader<E> {
  /** Changes when the log is restored, recreated or truncated: a cursor of another epoch means nothing. */
  epoch(): Promise<string>;
  /** Partition numbers, 0 to n-1; fixed for the life of an epoch. */
  partitions(): Promise<number>;
  /** Cursor of the newest event of a partition; BEGINNING when it is empty. */
  head(partition: number): Promise<Cursor>;
  /** @throws EpochChanged when `after` lies beyond the head, as it does after a truncation. */
  read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<E>>;
  /** Resolves when the partition may have events after the cursor, or after `timeoutMs` whatever happened. */
  waitForMore(partition: number, after: Cursor, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
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

/** The log cannot be reached or did not answer in time; nothing was accepted, or the caller cannot know. */
export class LogUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogUnavailable';
  }
}
