import type { Client } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { checkAppend, toExpected } from '@ledgerline/platform/event-store/appended-events';
import type { NewEvent, RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { appendGroup } from '@ledgerline/platform/event-store/postgres-appender';
import { eventColumns, type EventRow, rowToRecordedEvent } from '@ledgerline/platform/event-store/postgres-reads';

type Addition = NewEvent & Pick<RecordedEvent, 'stream'>;

/** The events that a restore has, in its transaction. */
export class RestoredEvents {
  constructor(readonly client: Client) {}

  /** In the order in which they were recorded. */
  async read(where: Sql): Promise<readonly RecordedEvent[]> {
    const rows = await run<EventRow>(
      this.client,
      sql`select ${eventColumns} from events where ${where} order by position`,
    );
    return rows.map(rowToRecordedEvent);
  }

  /** At the ends of their streams. */
  async append(events: readonly Addition[]): Promise<void> {
    const streams = [...new Set(events.map(({ stream }) => stream))];
    const rows = await run<{ name: string; revision: number }>(
      this.client,
      sql`select name, revision from streams where name = any(${streams})`,
    );
    const ends = new Map(rows.map(({ name, revision }) => [name, revision]));
    const appends = events.map(({ stream, id, type, data, metadata, sealed }) => {
      const end = ends.get(stream) ?? -1;
      ends.set(stream, end + 1);
      const event = { id, type, data, metadata, ...(sealed === undefined ? {} : { sealed }) };
      return checkAppend(stream, toExpected(end), [event]);
    });
    const write = await appendGroup(this.client, [appends]);
    await write();
  }

  /** The organizations that there are, deleted ones included. */
  async organizations(): Promise<readonly string[]> {
    const rows = await run<{ id: string }>(
      this.client,
      sql`select organization as id from organization_chains
          where revision >= 0 and organization <> 'global' order by 1`,
    );
    return rows.map(({ id }) => id);
  }
}
