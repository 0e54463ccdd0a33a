import { Client } from 'pg';
import type { ChangeNotifications } from './log-change-listener';

/** LISTEN on a Postgres channel. A payload is a list of partitions; without one, every partition may have changed. */
export class PostgresNotifications implements ChangeNotifications {
  private client: Client | undefined;
  private closed = false;

  constructor(
    private readonly options: { readonly url: string; readonly channel: string; readonly applicationName: string },
  ) {}

  /** A connection that broke is replaced by the next call. */
  subscribe(onChange: (changed?: ReadonlySet<number>) => void): void {
    if (this.client || this.closed) return;
    const { url, channel, applicationName } = this.options;
    const client = new Client({ connectionString: url, application_name: applicationName });
    this.client = client;
    const drop = () => {
      if (this.client === client) this.client = undefined;
      void client.end().catch(() => undefined);
    };
    client.on('notification', ({ payload }) => onChange(payload ? new Set(payload.split(',').map(Number)) : undefined));
    client.on('error', drop);
    client.on('end', drop);
    client
      .connect()
      .then(() => client.query(`listen ${channel}`))
      .then(() => onChange()) // what was announced meanwhile was missed
      .catch(drop);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }
}
