import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  AccessDeniedError,
  NO_STREAM,
  type RecordedEvent as StoredEvent,
  StreamDeletedError,
  WrongExpectedVersionError,
  jsonEvent,
} from '@eventstore/db-client';
import { isObject } from '@ledgerline/contracts/json';
import { StartFailure, StoreUnreachable } from '@ledgerline/platform/config/start-failure';
import { INTERNAL_ORGANIZATION } from '@ledgerline/platform/event-store/event-store';
import { CategoryProjection } from './category-projection';
import { type Connection, isTombstone, toLogUnavailable } from './connection';
import type { ServerAddress } from './connection-string';

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
    throw toLogUnavailable(error);
  }
}

/** The epoch that the event of a later stream names. */
function namedBy({ type, data }: StoredEvent): string | undefined {
  const epoch = isObject(data) ? data['epoch'] : undefined;
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

/** Oldest version that this adapter was tested with. */
const OLDEST: readonly [number, number] = [23, 10];

/** @throws StartFailure with one sentence for people, StoreAway while the server is not reached */
export async function checkEventStoreDbServer(connection: Connection): Promise<void> {
  try {
    await checkVersion(connection);
    await checkProjections(connection);
    await connection.readAll({ direction: 'backwards', maxCount: 1 });
    await hasCategories(connection);
    await epochOf(connection);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw explainFailure(error, connection.address);
  }
}

/** Returns whether a category stream of ours was ever filled. A tombstone is damage, but no lack of rights. */
async function hasCategories(connection: Connection): Promise<boolean> {
  try {
    const page = { direction: 'backwards', maxCount: 1 } as const;
    return (await connection.readStream(`$ce-${INTERNAL_ORGANIZATION}`, page)).length > 0;
  } catch (error) {
    if (!isTombstone(error)) throw error;
    return true;
  }
}

async function checkVersion(connection: Connection): Promise<void> {
  const { serverVersion } = await connection.withTimeout(capabilitiesOf(connection));
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new StartFailure(`EventStoreDB ${serverVersion} is too old: version ${OLDEST.join('.')} or newer is needed.`);
}

/** A private field of the driver. */
const capabilitiesOf = ({ client }: Connection) =>
  (client as unknown as { capabilities: Promise<{ serverVersion: string }> }).capabilities;

/** The number of timeouts a server that has just started may take to run its projections. */
const PROJECTIONS_START_WITHIN = 3;

/**
 * An organization's history is the server's category stream; a server that has just started takes a while to fill it. One
 * that has filled streams once, and no more, is served: such a server can be left.
 */
async function checkProjections(connection: Connection): Promise<void> {
  const projection = new CategoryProjection(connection);
  const until = performance.now() + PROJECTIONS_START_WITHIN * connection.timeoutMs;
  let failure: unknown;
  do {
    try {
      const state = await projection.stoppedAs();
      if (state === undefined || state.startsWith('Faulted')) return;
    } catch (error) {
      failure = error;
    }
    await setTimeout(250);
  } while (performance.now() < until);
  // TRICKY: a server without projections answers this question with any error, or never; is it running at all?
  await connection.readAll({ direction: 'backwards', maxCount: 1 });
  if (await hasCategories(connection)) return;
  throw new StartFailure(
    'EventStoreDB does not run its system projections; start it with --run-projections=System --start-standard-projections=true.',
    { cause: failure },
  );
}

/** gRPC's UNAUTHENTICATED; PERMISSION_DENIED is 7. */
const UNAUTHENTICATED = 16;

type Sentence = (place: string) => string;

/** By the messages of Node and OpenSSL, which is all that the driver passes on: what stays until it is set up otherwise. */
const WRONG_SETUP: readonly (readonly [RegExp, Sentence])[] = [
  [/certificate has expired/, (place) => `The certificate of EventStoreDB at ${place} has expired.`],
  [/not yet valid/, (place) => `The certificate of EventStoreDB at ${place} is not valid yet.`],
  [/altnames/, (place) => `The certificate of EventStoreDB is made out for another address than ${place}.`],
  [
    /self.signed certificate|certificate signature failure|unable to (verify|get)/,
    (place) =>
      `The certificate of EventStoreDB at ${place} is signed by nobody we trust; name the file of its CA in EVENTSTORE_URL (tlsCAFile=/ca.pem).`,
  ],
  [
    /wrong version number|packet length too long/,
    (place) =>
      `EventStoreDB at ${place} does not speak TLS; give it a certificate, or say tls=false in EVENTSTORE_URL.`,
  ],
];

/** The failures that may pass. */
const AWAY: typeof WRONG_SETUP = [
  [
    /Last error: Failed to connect/,
    (place) =>
      `EventStoreDB at ${place} hangs up; if it speaks TLS, leave tls=false out of EVENTSTORE_URL and name its CA (tlsCAFile=/ca.pem).`,
  ],
  [/did not answer|sent nothing|DEADLINE/, (place) => `EventStoreDB at ${place} does not answer.`],
];

/** In one sentence for people, why the server in EVENTSTORE_URL cannot be used. */
function explainFailure(error: unknown, { place, hasUser }: ServerAddress): StartFailure {
  const refusal = causesOf(error).find((cause) => cause instanceof AccessDeniedError);
  if (refusal) return new StartFailure(explainRefusal(Number(refusal.code), hasUser), { cause: error });
  const deleted = causesOf(error).find((cause) => cause instanceof StreamDeletedError);
  if (deleted)
    return new StartFailure(
      `A stream that is needed in EventStoreDB at ${place} has a tombstone: ${deleted.streamName}.`,
    );
  const messages = causesOf(error).map(String).join('\n');
  const find = (sentences: typeof WRONG_SETUP) => sentences.find(([pattern]) => pattern.test(messages))?.[1](place);
  const wrongSetup = find(WRONG_SETUP);
  if (wrongSetup !== undefined) return new StartFailure(wrongSetup, { cause: error });
  return new StoreUnreachable(find(AWAY) ?? `EventStoreDB cannot be reached at ${place}.`, { cause: error });
}

function explainRefusal(code: number, hasUser: boolean): string {
  if (code === UNAUTHENTICATED) return 'EventStoreDB refuses the user or the password of EVENTSTORE_URL.';
  if (!hasUser) return 'EventStoreDB wants a user; name one in EVENTSTORE_URL (esdb://user:password@host:2113).';
  return 'The user of EVENTSTORE_URL may not read $all and $ce- streams in EventStoreDB; name it in the default ACL of system streams, or make it one of $admins.';
}

const causesOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...causesOf(error.cause)] : []);
