import { Client } from 'pg';
import type { ChangeNotifications, LogChange } from '../log/log-change-listener';
import { sessionSetup } from './pool';

const setUp = sessionSetup({});

interface PostgresNotificationsOptions {
  readonly url: string;
  readonly channel: string;
  readonly applicationName: string;
  /** Reads what a payload names, a list; without a payload anything may have changed. */
  readonly toChange: (names: readonly string[]) => LogChange;
}

/** LISTEN on a Postgres channel. */
export class PostgresNotifications implements ChangeNotifications {
  private client: Client | undefined;
  private closed = false;

  constructor(private readonly options: PostgresNotificationsOptions) {}

  /** A connection that broke is replaced by the next call. */
  subscribe(onChange: (change?: LogChange) => void): void {
    if (this.client || this.closed) return;
    const { url, channel, applicationName, toChange } = this.options;
    const client = new Client({ connectionString: url, application_name: applicationName });
    this.client = client;
    const drop = () => {
      if (this.client === client) this.client = undefined;
      void client.end().catch(() => undefined);
    };
    client.on('notification', ({ payload }) => onChange(payload ? toChange(payload.split(',')) : undefined));
    client.on('error', drop);
    client.on('end', drop);
    client
      .connect()
      .then(() => setUp(client))
      .then(() => client.query(`listen ${channel}`))
      .then(() => onChange()) // what was announced meanwhile was missed
      .catch(drop);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.client?.end().catch(() => undefined);
  }
}
