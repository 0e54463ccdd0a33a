import { Batcher } from './batcher';
import type { Cursor, WaitOptions } from './log-reader';

/** Cursor of the newest event by partition. */
type Heads = ReadonlyMap<number, Cursor>;

/** The part of a log that has changed; by default anything. */
export interface LogChange {
  readonly partitions?: ReadonlySet<number>;
  /** The types of the new events. */
  readonly types?: ReadonlySet<string>;
}

/** Announces changes of a log, at once but not reliably: the listener polls, too. */
export interface ChangeNotifications {
  /** Subscribes unless that has happened. */
  subscribe(onChange: (change?: LogChange) => void): void;
  /** Returns whether no change after this place can have been missed so far; else the heads are read at once. */
  covers?(after: Cursor): boolean;
  /** Returns whether an announced change may lie after this place; a reader may be ahead of what is announced. */
  mayHaveAfter?(after: Cursor): boolean;
  close(): Promise<void>;
}

interface Waiter {
  readonly partition: number;
  readonly after: Cursor;
  readonly types: readonly string[] | undefined;
  readonly wake: () => void;
}

/** The delay of a reader when a notification gets lost, ms. */
const POLL_MS = 1_000;

/** Wakes readers that wait for a partition to grow: at once by a notification, otherwise by polling the heads. */
export class LogChangeListener {
  private readonly waiters = new Set<Waiter>();
  private readonly heads: Batcher<undefined, Heads>;
  private poll: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly notifications: ChangeNotifications,
    readHeads: () => Promise<Heads>,
  ) {
    const readOnce = async (requests: readonly undefined[]) => {
      const heads = await readHeads();
      return requests.map(() => heads);
    };
    this.heads = new Batcher(readOnce, { maxBatch: Infinity });
  }

  /** Resolves when the partition may have events after the cursor, after the time, or when aborted; never rejects. */
  async wait(partition: number, after: Cursor, { timeoutMs, types, signal }: WaitOptions): Promise<void> {
    if (this.closed || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.waiters.delete(waiter);
        resolve();
      };
      const waiter = { partition, after, types, wake };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener('abort', wake, { once: true });
      this.waiters.add(waiter);
      this.listen(after);
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.poll);
    for (const { wake } of this.waiters) wake();
    await this.notifications.close();
  }

  private listen(after: Cursor): void {
    this.notifications.subscribe((change = {}) =>
      this.wakeWhere((waiter) => concerns(change, waiter) && (this.notifications.mayHaveAfter?.(waiter.after) ?? true)),
    );
    this.poll ??= setInterval(() => this.checkHeads(), POLL_MS);
    if (!this.notifications.covers?.(after)) this.checkHeads();
  }

  private checkHeads(): void {
    if (this.waiters.size === 0) {
      clearInterval(this.poll);
      this.poll = undefined;
      return;
    }
    this.heads.submit(undefined).then(
      (heads) => this.wakeWhere(({ partition, after }) => (heads.get(partition) ?? after) !== after),
      () => undefined, // the next poll tries again
    );
  }

  private wakeWhere(condition: (waiter: Waiter) => boolean): void {
    for (const waiter of this.waiters) if (condition(waiter)) waiter.wake();
  }
}

const concerns = (change: LogChange, { partition, types }: Waiter): boolean =>
  (change.partitions?.has(partition) ?? true) &&
  (!change.types || !types || types.some((type) => change.types?.has(type)));
