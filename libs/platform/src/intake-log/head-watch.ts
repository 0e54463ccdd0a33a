import { Client, type Pool } from 'pg';
import { run } from '../database/pool';
import { sql } from '../database/sql';

interface Waiter {
  readonly partition: number;
  readonly after: number;
  readonly wake: () => void;
}

/** A notification may get lost with its connection; this is how late a reader is then, ms. */
const POLL_MS = 250;

/** Wakes who waits for a partition to grow: at once by a notification, and by looking every now and then anyway. */
export class HeadWatch {
  private readonly waiters = new Set<Waiter>();
  private listener: Client | undefined;
  private poll: NodeJS.Timeout | undefined;
  private closed = false;

  constructor(
    private readonly pool: Pool,
    private readonly databaseUrl: string,
  ) {}

  /** Resolves when the partition may be past `after`, or after the time. */
  async wait(partition: number, after: number, { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal }) {
    if (this.closed || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const waiter = { partition, after, wake };
      const timer = setTimeout(wake, timeoutMs);
      signal?.addEventListener('abort', wake, { once: true });
      this.waiters.add(waiter);
      this.listen();
      this.poll ??= setInterval(() => void this.look(), POLL_MS);
      void this.look();

      function wake(): void {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        done();
      }
      const done = () => {
        this.waiters.delete(waiter);
        resolve();
      };
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.poll);
    for (const { wake } of this.waiters) wake();
    await this.listener?.end().catch(() => undefined);
  }

  private async look(): Promise<void> {
    if (this.waiters.size === 0) {
      clearInterval(this.poll);
      this.poll = undefined;
      return;
    }
    const heads = await run<{ partition: number; newest: string }>(
      this.pool,
      sql`select partition, next_offset - 1 as newest from intake_heads`,
    ).catch(() => []);
    for (const { partition, newest } of heads)
      this.wakeWhere((waiter) => waiter.partition === partition && Number(newest) !== waiter.after);
  }

  private wakeWhere(condition: (waiter: Waiter) => boolean): void {
    for (const waiter of this.waiters) if (condition(waiter)) waiter.wake();
  }

  /** A listener that fails is replaced when somebody waits again; until then polling goes on. */
  private listen(): void {
    if (this.listener || this.closed) return;
    const listener = new Client({ connectionString: this.databaseUrl, application_name: 'ledgerline-intake-listen' });
    const forget = () => {
      if (this.listener === listener) this.listener = undefined;
    };
    this.listener = listener;
    listener.on('error', forget);
    listener.on('end', forget);
    listener.on('notification', ({ payload }) => {
      const partitions = new Set((payload ?? '').split(',').map(Number));
      this.wakeWhere(({ partition }) => partitions.has(partition));
    });
    listener
      .connect()
      .then(() => listener.query('listen intake_log'))
      .catch(() => {
        forget();
        return listener.end().catch(() => undefined);
      });
  }
}
