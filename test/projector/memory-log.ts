import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import {
  BEGINNING,
  type Cursor,
  type LogBatch,
  type LogReader,
  type ReadOptions,
} from '@ledgerline/platform/log/log-reader';

const offsetOf = (cursor: Cursor) => (cursor === BEGINNING ? -1 : Number(cursor));

/** An intake log of one partition in memory, which may be cut into batches at will. */
export class MemoryLog implements LogReader<LoggedHit> {
  readonly hits: LoggedHit[] = [];
  currentEpoch = 'memory';

  constructor(
    events: readonly ObservedEvent[] = [],
    private readonly piece: () => number = () => Infinity,
  ) {
    this.add(...events);
  }

  add(...events: readonly ObservedEvent[]): void {
    for (const event of events) this.hits.push({ event, partition: 0, offset: this.hits.length });
  }

  epoch = () => Promise.resolve(this.currentEpoch);
  partitions = () => Promise.resolve(1);
  head = () => Promise.resolve(this.hits.length === 0 ? BEGINNING : String(this.hits.length - 1));
  compare = (a: Cursor, b: Cursor) => offsetOf(a) - offsetOf(b);

  read(_partition: number, after: Cursor, { max, types }: ReadOptions): Promise<LogBatch<LoggedHit>> {
    const start = offsetOf(after) + 1;
    const looked = this.hits.slice(start, start + Math.min(max, this.piece()));
    const events = looked.filter(({ event }) => !types || types.includes(event.type));
    const end = start + looked.length;
    return Promise.resolve({ events, next: end === 0 ? BEGINNING : String(end - 1), atHead: end === this.hits.length });
  }

  waitForMore(_partition: number, _after: Cursor, { signal }: { timeoutMs: number; signal?: AbortSignal }) {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 20);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** An intake log of several partitions in memory. */
export class PartitionedMemoryLog implements LogReader<LoggedHit> {
  private readonly logs: readonly MemoryLog[];
  /** Why a partition cannot be read. */
  readonly faults = new Map<number, Error>();

  constructor(partitions: number, piece?: () => number) {
    this.logs = Array.from({ length: partitions }, () => new MemoryLog([], piece));
  }

  add = (partition: number, ...events: readonly ObservedEvent[]) => this.of(partition).add(...events);
  epoch = () => Promise.resolve('memory');
  partitions = () => Promise.resolve(this.logs.length);
  head = (partition: number) => this.of(partition).head();
  compare = (a: Cursor, b: Cursor) => offsetOf(a) - offsetOf(b);
  waitForMore = (partition: number, after: Cursor, options: { timeoutMs: number; signal?: AbortSignal }) =>
    this.of(partition).waitForMore(partition, after, options);

  read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<LoggedHit>> {
    const fault = this.faults.get(partition);
    return fault ? Promise.reject(fault) : this.of(partition).read(partition, after, options);
  }

  private of(partition: number): MemoryLog {
    const log = this.logs[partition];
    if (!log) throw new RangeError(`The log has no partition ${partition}.`);
    return log;
  }
}
