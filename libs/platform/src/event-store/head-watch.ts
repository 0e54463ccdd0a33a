import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';

/** A listening connection whose notifications are only hints: whoever waits polls as well. */
export class HeadWatch {
  private readonly waiting = new Set<() => void>();
  private client: Client | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly channel: string,
  ) {}

  /** Resolves at the next hint, or after so many milliseconds, or when aborted; never rejects. */
  async hint(withinMs: number, signal?: AbortSignal): Promise<void> {
    this.connect();
    const enough = new AbortController();
    const stop = () => enough.abort();
    this.waiting.add(stop);
    signal?.addEventListener('abort', stop, { once: true });
    await setTimeout(withinMs, undefined, { signal: enough.signal }).catch(() => undefined);
    signal?.removeEventListener('abort', stop);
    this.waiting.delete(stop);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.wake();
    await this.client?.end().catch(() => undefined);
  }

  private wake(): void {
    for (const stop of this.waiting) stop();
  }

  private connect(): void {
    if (this.client || this.closed) return;
    const client = new Client({ connectionString: this.url, application_name: 'ledgerline-listen' });
    this.client = client;
    const drop = () => {
      if (this.client === client) this.client = undefined; // the next one who waits connects again
      void client.end().catch(() => undefined);
    };
    client.on('notification', () => this.wake());
    client.on('error', drop);
    client.on('end', drop);
    client
      .connect()
      .then(() => client.query(`listen ${this.channel}`))
      .catch(drop);
  }
}
