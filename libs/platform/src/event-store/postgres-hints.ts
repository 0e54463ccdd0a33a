import { Client } from 'pg';
import { Waiters } from './waiters';

/** Hints from a connection that listens to a Postgres channel; connects when somebody waits. */
export class PostgresHints {
  private readonly waiters = new Waiters();
  private client: Client | undefined;
  private closed = false;

  constructor(
    private readonly url: string,
    private readonly channel: string,
  ) {}

  /** See {@link Waiters.hint}. */
  hint(withinMs: number, signal?: AbortSignal): Promise<void> {
    this.connect();
    return this.waiters.hint(withinMs, signal);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.waiters.wake();
    await this.client?.end().catch(() => undefined);
  }

  private connect(): void {
    if (this.client || this.closed) return;
    const client = new Client({ connectionString: this.url, application_name: 'ledgerline-listen' });
    this.client = client;
    const drop = () => {
      if (this.client === client) this.client = undefined; // the next one who waits connects again
      void client.end().catch(() => undefined);
    };
    client.on('notification', () => this.waiters.wake());
    client.on('error', drop);
    client.on('end', drop);
    client
      .connect()
      .then(() => client.query(`listen ${this.channel}`))
      .catch(drop);
  }
}
