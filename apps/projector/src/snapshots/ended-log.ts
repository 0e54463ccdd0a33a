import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { offsetCursor } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor, LogBatch, LogReader, ReadOptions, WaitOptions } from '@ledgerline/platform/log/log-reader';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';

/** The intake log as it was when it ended there; what was erased since is gone from it, too. */
export class EndedLog implements LogReader<LoggedHit> {
  constructor(
    private readonly log: LogReader<LoggedHit>,
    /** The cursor of the newest event by partition. */
    private readonly ends: ReadonlyMap<number, Cursor>,
  ) {}

  epoch(): Promise<string> {
    return this.log.epoch();
  }

  partitions(): Promise<number> {
    return this.log.partitions();
  }

  head(partition: number): Promise<Cursor> {
    return Promise.resolve(this.endOf(partition));
  }

  async read(partition: number, after: Cursor, options: ReadOptions): Promise<LogBatch<LoggedHit>> {
    const end = this.endOf(partition);
    if (this.compare(after, end) >= 0) return { events: [], next: after, atHead: true, digest: options.digest };
    const batch = await this.log.read(partition, after, options);
    const rest = this.compare(batch.next, end);
    if (rest <= 0) return { ...batch, atHead: rest === 0 };
    const events = batch.events.filter(({ offset }) => this.compare(offsetCursor(offset), end) <= 0);
    return { events, next: end, atHead: true };
  }

  waitForMore(partition: number, after: Cursor, options: WaitOptions): Promise<void> {
    return this.log.waitForMore(partition, after, options);
  }

  compare(a: Cursor, b: Cursor): number {
    return this.log.compare(a, b);
  }

  private endOf(partition: number): Cursor {
    return this.ends.get(partition) ?? BEGINNING;
  }
}
