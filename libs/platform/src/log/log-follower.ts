import {
  BEGINNING,
  isReplaced,
  LogUnavailable,
  type Cursor,
  type EpochChanged,
  type LogBatch,
  type ReaderPosition,
  type LogReader,
  type LogTampered,
} from './log-reader';
import { Backoff, pause } from './timing';

interface LogFollowerOptions<E> {
  /** Where to begin, or how to find that out; the beginning by default. */
  readonly from?: Cursor | (() => Promise<ReaderPosition>);
  /** Only events of these types are read, asked for before each read; by default all. Others are passed over. */
  readonly types?: () => readonly string[];
  /** Called with one batch after another, empty ones too; a rejection ends the follower. */
  readonly onBatch: (batch: LogBatch<E>) => void | Promise<void>;
  /** Called at every outage; the follower retries by itself. */
  readonly onError?: (error: LogUnavailable) => void;
  /**
   * Called at every try while the log is not the one that was read: the follower stays where it is and tries again each
   * second, unless this rejects. Without it that error ends the follower.
   */
  readonly onReplaced?: (error: EpochChanged | LogTampered) => Promise<void>;
  /** Called whenever the log could be read. */
  readonly onRead?: () => void;
  readonly signal?: AbortSignal;
  /**
   * At the head of the log, a read begins so long after the one before, ms, unless a caller waits for what it brings: so
   * a stream of events is read in batches. The first read after a pause begins at once.
   */
  readonly paceMs?: number;
}

const BATCH = 1_000;
const WAIT_MS = 5_000;
const REPLACED_MS = 1_000;

/** Applies the batches of a log's only partition in order from a cursor on, until it is stopped, and retries when the log is unavailable. */
export class LogFollower<E> {
  /** Everything up to here is applied. */
  cursor: Cursor = BEGINNING;
  private digest: string | undefined;
  private isBegun = false;
  /** When the newest read began that found the log to be the one that was read, in ms of `performance.now()`. */
  checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  /**
   * Resolves at the first moment when nothing more was in the log, or it was found to be another one; rejects with what
   * ended the loop before that.
   */
  readonly caughtUp: Promise<void>;
  /** Resolves when stopped by the signal; rejects with what ended it: EpochChanged, or an error of `onBatch`. */
  readonly ended: Promise<void>;
  private readonly waiting = new Set<() => void>();
  /** Ends the wait before the next read. */
  private hurry = new AbortController();

  constructor(
    private readonly reader: LogReader<E>,
    private readonly options: LogFollowerOptions<E>,
  ) {
    if (typeof options.from === 'string') this.cursor = options.from;
    let reachedHead: () => void = () => undefined;
    const atHead = new Promise<void>((resolve) => (reachedHead = resolve));
    options.signal?.addEventListener('abort', () => this.hurry.abort(), { once: true });
    this.ended = this.loop(reachedHead);
    this.caughtUp = Promise.race([atHead, this.ended]);
    this.caughtUp.catch(() => undefined); // a failure is reported by `ended`
    this.ended.catch(() => undefined);
  }

  /** True as soon as everything up to the cursor is applied, false if that takes longer. */
  async hasReached(cursor: Cursor, timeoutMs: number): Promise<boolean> {
    const tooLate = new AbortController();
    const reached = () => this.reader.compare(this.cursor, cursor) >= 0;
    const look = () => {
      if (!reached()) return;
      this.waiting.delete(look);
      tooLate.abort();
    };
    if (reached()) return true;
    this.waiting.add(look);
    this.hurry.abort();
    await pause(timeoutMs, tooLate.signal);
    this.waiting.delete(look);
    return reached();
  }

  /**
   * Reads again at the cursor, unless that was done within the last so many ms. Concurrent calls share a read, and where
   * it fails its failure.
   * @throws EpochChanged · LogTampered where the log is not the one that was read · LogUnavailable
   */
  async check(withinMs: number): Promise<void> {
    if (this.wasChecked(withinMs)) return;
    if (!this.isBegun) throw new LogUnavailable('The log was not read yet.');
    if (this.checking) {
      await this.checking;
      if (this.wasChecked(withinMs)) return;
    }
    this.checking ??= this.look().finally(() => (this.checking = undefined));
    await this.checking;
  }

  private wasChecked(withinMs: number): boolean {
    return performance.now() - this.checkedAt < withinMs;
  }

  private async look(): Promise<void> {
    const begunAt = performance.now();
    await this.reader.read(0, this.cursor, { max: 1, types: this.options.types?.(), digest: this.digest });
    this.checkedAt = begunAt;
  }

  private async loop(reachedHead: () => void): Promise<void> {
    const { signal } = this.options;
    const backoff = new Backoff(signal);
    while (!signal?.aborted) {
      this.hurry = new AbortController(); // before the read, which may miss what a caller waits for
      try {
        const begunAt = performance.now();
        const atHead = await this.step();
        this.checkedAt = begunAt;
        this.options.onRead?.();
        if (atHead) {
          reachedHead();
          await this.waitForMore(begunAt);
        }
        backoff.reset();
      } catch (error) {
        this.checkedAt = -Infinity;
        if (error instanceof LogUnavailable) {
          this.options.onError?.(error);
          await backoff.pause();
        } else {
          await this.replaced(error);
          reachedHead();
          await pause(REPLACED_MS, signal);
        }
      }
    }
  }

  private async replaced(error: unknown): Promise<void> {
    const { onReplaced } = this.options;
    if (!onReplaced || !isReplaced(error)) throw error;
    await onReplaced(error);
  }

  private async waitForMore(begunAt: number): Promise<void> {
    const { paceMs = 0, signal, types } = this.options;
    if (this.hurry.signal.aborted && this.waiting.size > 0) return;
    this.hurry = new AbortController();
    if (signal?.aborted) return;
    const { signal: hurry } = this.hurry;
    await this.reader.waitForMore(0, this.cursor, { timeoutMs: WAIT_MS, types: types?.(), signal: hurry });
    const restMs = begunAt + paceMs - performance.now();
    if (restMs > 0 && this.waiting.size === 0) await pause(restMs, hurry);
  }

  /** Applies one batch; true at the head. */
  private async step(): Promise<boolean> {
    const { signal, onBatch, from, types } = this.options;
    if (!this.isBegun && typeof from === 'function') ({ cursor: this.cursor, digest: this.digest } = await from());
    this.isBegun = true;
    const { cursor, digest } = this;
    const batch = await this.reader.read(0, cursor, { max: BATCH, types: types?.(), digest, signal });
    if (signal?.aborted) return true;
    await onBatch(batch);
    this.cursor = batch.next;
    this.digest = batch.digest;
    for (const look of this.waiting) look();
    return batch.atHead;
  }
}
