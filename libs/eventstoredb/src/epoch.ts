import { randomUUID } from 'node:crypto';
import {
  jsonEvent,
  NO_STREAM,
  WrongExpectedVersionError,
  type RecordedEvent as StoredEvent,
} from '@eventstore/db-client';
import { INTERNAL_ORGANIZATION } from '@ledgerline/platform/event-store/event-store';
import { isTombstone, unavailable, type Connection } from './connection';

const STREAM = `${INTERNAL_ORGANIZATION}-epoch`;
const TYPE = 'EpochBegun';
/** The log's first events, among which its epoch is looked for where its stream was deleted. */
const SEARCHED_PAGES = 5;
const PAGE = 4_096;

/**
 * Id of the event this log began with; another one after the database was recreated. Where its stream was deleted or has
 * a tombstone, the event is still at the log's beginning, until a scavenge; another stream names it then.
 */
export async function epochOf(connection: Connection): Promise<string> {
  for (let tombstones = 0; ; tombstones += 1) {
    const stream = tombstones === 0 ? STREAM : `${STREAM}.${tombstones + 1}`;
    try {
      return (
        (await read(connection, stream)) ?? (await mark(connection, stream)) ?? (await read(connection, stream)) ?? ''
      );
    } catch (error) {
      if (!isTombstone(error)) throw error;
    }
  }
}

async function read(connection: Connection, stream: string): Promise<string | undefined> {
  const [first] = await connection.readStream(stream, { direction: 'forwards', maxCount: 1 });
  if (!first?.event) return undefined;
  const { event } = first;
  if (stream === STREAM && event.revision === 0n) return event.id;
  return namedBy(event) ?? (await find(connection)) ?? event.id;
}

/** Undefined when another process was first. */
async function mark(connection: Connection, stream: string): Promise<string | undefined> {
  const id = randomUUID();
  const begun = await find(connection);
  const event = jsonEvent({ id, type: TYPE, data: begun === undefined ? {} : { epoch: begun } });
  try {
    await connection.withTimeout(connection.client.appendToStream(stream, event, { expectedRevision: NO_STREAM }));
    return begun ?? id;
  } catch (error) {
    if (error instanceof WrongExpectedVersionError) return undefined;
    throw unavailable(error);
  }
}

/** The epoch that the event of a later stream names. */
function namedBy({ type, data }: StoredEvent): string | undefined {
  const epoch = (data as unknown as { readonly epoch?: unknown } | null)?.epoch; // of any shape
  return type === TYPE && typeof epoch === 'string' ? epoch : undefined;
}

/** The id of the first event that the epoch's stream ever had. */
async function find(connection: Connection): Promise<string | undefined> {
  let from: StoredEvent['position'];
  for (let page = 0; page < SEARCHED_PAGES; page += 1) {
    const events = await connection.readAll({ direction: 'forwards', maxCount: PAGE, ...(from ? { from } : {}) });
    const found = events.find(({ event }) => event?.streamId === STREAM && event.revision === 0n);
    if (found?.event) return found.event.id;
    if (events.length < PAGE) return undefined;
    from = events.at(-1)?.event?.position;
  }
  return undefined;
}
