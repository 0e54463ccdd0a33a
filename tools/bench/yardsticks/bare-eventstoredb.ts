import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import type { JsonEvent, StreamName } from '@ledgerline/platform/event-store/event-store';

/** EventStoreDB's driver alone, as it comes: no check of what was stored, no hash chain. */
export function bareEventStoreDb(url: string) {
  const client = EventStoreDBClient.connectionString(url);
  return {
    append: (stream: StreamName, revision: number, { id, type, data, metadata }: JsonEvent) =>
      client.appendToStream(stream, jsonEvent({ id, type, data, metadata }), {
        expectedRevision: revision === 0 ? NO_STREAM : BigInt(revision - 1),
      }),
    close: () => client.dispose(),
  };
}
