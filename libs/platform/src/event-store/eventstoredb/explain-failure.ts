import { AccessDeniedError, StreamDeletedError } from '@eventstore/db-client';
import { StartFailure, StoreAway } from '../../config/start-failure';
import type { ServerAddress } from './connection-string';

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

/** The same of what may pass. */
const AWAY: typeof WRONG_SETUP = [
  [
    /Last error: Failed to connect/,
    (place) =>
      `EventStoreDB at ${place} hangs up; if it speaks TLS, leave tls=false out of EVENTSTORE_URL and name its CA (tlsCAFile=/ca.pem).`,
  ],
  [/did not answer|sent nothing|DEADLINE/, (place) => `EventStoreDB at ${place} does not answer.`],
];

/** In one sentence for people, why the server in EVENTSTORE_URL cannot be used. */
export function explainFailure(error: unknown, { place, hasUser }: ServerAddress): StartFailure {
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
  return new StoreAway(find(AWAY) ?? `EventStoreDB cannot be reached at ${place}.`, { cause: error });
}

function explainRefusal(code: number, hasUser: boolean): string {
  if (code === UNAUTHENTICATED) return 'EventStoreDB refuses the user or the password of EVENTSTORE_URL.';
  if (!hasUser) return 'EventStoreDB wants a user; name one in EVENTSTORE_URL (esdb://user:password@host:2113).';
  return 'The user of EVENTSTORE_URL may not read $all and $ce- streams in EventStoreDB; name it in the default ACL of system streams, or make it one of $admins.';
}

const causesOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...causesOf(error.cause)] : []);
