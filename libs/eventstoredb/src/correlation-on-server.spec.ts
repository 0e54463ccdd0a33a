import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { appended, event, freshStream } from '@test/event-store/laws/harness';
import { waitUntil } from '@test/wait-until';
import { EventStoreDbEventStore } from './eventstoredb-event-store';

const url = process.env.EVENTSTORE_URL;

if (url) {
  describe('the correlation view of a real EventStoreDB', () => {
    it('lists the events of a request, from every stream and in their order', async () => {
      const store = await EventStoreDbEventStore.open(url);
      const client = EventStoreDBClient.connectionString(url);
      try {
        const correlation = randomUUID();
        const one = freshStream();
        const other = freshStream();
        const correlated = (n: number) => event({ n }, { metadata: { correlation, causation: `cause-${n}` } });
        await appended(store, one, 'no-stream', [correlated(0)]);
        await appended(store, other, 'no-stream', [event({}, { metadata: { correlation: randomUUID() } })]);
        await appended(store, other, 0, [correlated(1), correlated(2)]);
        const found = await waitUntil(
          () => linked(client, `$bc-${correlation}`),
          (events) => events.length === 3,
        );
        expect(found).toEqual([`${one} cause-0`, `${other} cause-1`, `${other} cause-2`]);
      } finally {
        await client.dispose();
        await store.close();
      }
    });
  });
} else {
  it.skip('the correlation view of a real EventStoreDB: SKIPPED, as EVENTSTORE_URL names no server', () => undefined);
}

/** Streams and causes of the events that a stream links to; none while it does not exist. */
async function linked(client: EventStoreDBClient, stream: string): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { event: target } of client.readStream(stream, { resolveLinkTos: true })) {
      const { $causationId } = (target?.metadata ?? {}) as { $causationId?: string };
      found.push(`${target?.streamId} ${$causationId}`);
    }
  } catch {
    return [];
  }
  return found;
}
