import { randomUUID } from 'node:crypto';
import {
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { AppendStream } from '@ledgerline/eventstoredb/append-stream';
import { EventStoreDbDouble } from './eventstoredb-double';

/** As EventStoreDB 23.10.6 does it. */
describe('a stream of the double', () => {
  it('reads as absent when it was deleted, and its revisions go on', async () => {
    await append(NO_STREAM, 2);
    await client.deleteStream('a-1');
    await expect(revisions('a-1')).rejects.toBeInstanceOf(StreamNotFoundError);
    await expect(append(0n)).rejects.toBeInstanceOf(WrongExpectedVersionError);
    expect((await append(NO_STREAM)).nextExpectedRevision).toBe(2n);
    expect(await revisions('a-1')).toEqual([2n]);
    expect(await revisions('$ce-a')).toEqual([undefined, undefined, 2n]);
    expect(await all('a-1')).toEqual([0n, 1n, 2n]);
    expect(await all('$$a-1')).toEqual([0n]);
  });

  it('goes on after its last revision when it was deleted', async () => {
    await append(NO_STREAM, 2);
    await client.deleteStream('a-1');
    expect((await append(1n)).nextExpectedRevision).toBe(2n);
    expect(await revisions('a-1')).toEqual([2n]);
    await expect(append(NO_STREAM)).rejects.toBeInstanceOf(WrongExpectedVersionError);
  });

  it('throws whatever is done with it once it has a tombstone', async () => {
    await append(NO_STREAM, 2);
    await client.tombstoneStream('a-1');
    await expect(revisions('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    for (const expected of [NO_STREAM, 1n] as const)
      await expect(append(expected)).rejects.toBeInstanceOf(StreamDeletedError);
    await expect(client.deleteStream('a-1')).rejects.toBeInstanceOf(StreamDeletedError);
    const appends = new AppendStream(client);
    await expect(appends.append('a-1', [made()], 1)).rejects.toBeInstanceOf(StreamDeletedError);
    appends.cancel();
    expect(await revisions('$ce-a')).toEqual([undefined, undefined]);
    expect(await all('a-1')).toEqual([0n, 1n, 2n ** 63n - 1n]);
  });
});

const made = () => jsonEvent({ id: randomUUID(), type: 'Made', data: {} });

const append = (expectedRevision: typeof NO_STREAM | bigint, count = 1) =>
  client.appendToStream('a-1', Array.from({ length: count }, made), { expectedRevision });

/** Returns the revisions that the events, or the events that links name, have in their own streams. */
async function revisions(stream: string): Promise<(bigint | undefined)[]> {
  const found: (bigint | undefined)[] = [];
  for await (const { event } of client.readStream(stream, { resolveLinkTos: true })) found.push(event?.revision);
  return found;
}

/** In `$all`. */
async function all(stream: string): Promise<bigint[]> {
  const found: bigint[] = [];
  for await (const { event } of client.readAll()) if (event?.streamId === stream) found.push(event.revision);
  return found;
}

let double: EventStoreDbDouble;
let client: EventStoreDBClient;

beforeEach(async () => {
  double = await EventStoreDbDouble.start();
  client = EventStoreDBClient.connectionString(double.url);
  Object.assign(client, { supports: () => Promise.resolve(false) }); // as the adapter uses it
});

afterEach(async () => {
  await client.dispose();
  double.stop();
});
