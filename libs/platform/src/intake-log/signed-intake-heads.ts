import { randomUUID, type KeyObject } from 'node:crypto';
import { type JsonObject, isObject } from '@ledgerline/contracts/json';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import {
  type AppendRequest,
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type Hash,
  type RecordedEvent,
  type StreamName,
  SIGNED_HEADS_STREAM,
} from '../event-store/event-store';
import { addPublicKey, readTrustedKeys } from '../event-store/head-signer';
import { type SignedContent, signContent, verifySignature } from '../event-store/head-statement';
import { LogTampered, LogUnavailable, StreamDead } from '../log/log-reader';
import { readEpoch } from './intake-log';
import { INTAKE_LOG_LABEL, INTAKE_LOG_CHANGED, tampered } from './segment-chain';

/** Where a partition ended. */
export type IntakeHead = {
  readonly partition: number;
  /** The offset of the next event. */
  readonly offset: number;
  /** The hash of the newest segment. */
  readonly chain: Hash;
};

/** The ends of all partitions that are not empty at one time. */
type IntakeHeads = {
  /** The epoch of the intake log. */
  readonly epoch: string;
  readonly heads: readonly IntakeHead[];
  /** When an operator had the heads signed without regard to the ones before (ISO 8601 UTC); kept by those that follow. */
  readonly restartedAt?: string;
};

/** Kept in the event store, and perhaps elsewhere, they prove the intake log up to them. */
export type SignedIntakeHeads = SignedContent<IntakeHeads>;

const SIGNED_HEADS_TYPE = 'IntakeHeadsSigned';

/** The newest heads that were stored. @throws LogTampered where their event holds something else · SignedHeadsLost */
export async function readSignedHeads(store: Pick<EventStore, 'readStream'>): Promise<StoredHeads | undefined> {
  const { event, stream, isLost } = await findHeads(store);
  if (isLost) throw new SignedHeadsLost();
  if (!event) return undefined;
  const { data: signed, revision, id } = event;
  if (isSignedHeads(signed)) return { signed, revision, stream };
  throw new LogTampered(`${INTAKE_LOG_LABEL} has no readable signed heads: event ${id} of ${stream} holds none.`);
}

/** The stream of the signed heads has a tombstone, and no operator has begun another one. */
export class SignedHeadsLost extends LogUnavailable {
  constructor() {
    super(
      `The signed heads of the intake log are gone: ${SIGNED_HEADS_STREAM} has a tombstone. It is neither compared nor signed until \`npm run audit -- heads --restart\`.`,
    );
    this.name = 'SignedHeadsLost';
  }
}

interface StoredHeads {
  readonly signed: SignedIntakeHeads;
  /** The revision of their event. */
  readonly revision: number;
  readonly stream: StreamName;
}

interface Found {
  /** The stream that the next heads belong in. */
  readonly stream: StreamName;
  readonly event: RecordedEvent | undefined;
  readonly isLost: boolean;
}

/** A stream with a tombstone has a successor, which a copy in another store has beside it. */
async function findHeads(store: Pick<EventStore, 'readStream'>): Promise<Found> {
  const nameOf = (n: number) => (n === 1 ? SIGNED_HEADS_STREAM : `${SIGNED_HEADS_STREAM}.${n}`);
  let found: Found = { stream: nameOf(1), event: undefined, isLost: false };
  for (let n = 1; ; n += 1) {
    try {
      const [event] = await store.readStream(nameOf(n), { direction: 'backward', limit: 1 });
      if (!event && n > 1) return found;
      found = { stream: nameOf(n), event, isLost: false };
    } catch (error) {
      if (!(error instanceof StreamDead)) throw error;
      found = { stream: nameOf(n + 1), event: undefined, isLost: true };
    }
  }
}

export function isSignedHeads(data: JsonObject): data is SignedIntakeHeads {
  const { epoch, heads, signedAt, keyId, signature } = data;
  const texts = [epoch, signedAt, keyId, signature];
  return texts.every((text) => typeof text === 'string') && Array.isArray(heads) && heads.every(isHead);
}

function isHead(head: unknown): boolean {
  if (!isObject(head)) return false;
  const { partition, offset, chain } = head;
  return Number.isSafeInteger(partition) && Number.isSafeInteger(offset) && /^[0-9a-f]{64}$/.test(String(chain));
}

export async function readIntakeHeads(database: Queryable): Promise<IntakeHeads> {
  const [log] = await run<IntakeHeads>(
    database,
    sql`
      select epoch, coalesce((
        select json_agg(json_build_object('partition', partition, 'offset', next_offset, 'chain', encode(chain, 'hex'))
          order by partition)
        from intake_heads where next_offset > 0
      ), '[]') as heads
      from intake_log`,
  );
  return log ?? { epoch: '', heads: [] };
}

/** Returns those of these heads at which no segment with that chain hash ends. */
async function findBrokenHeads(database: Queryable, heads: readonly IntakeHead[]): Promise<readonly IntakeHead[]> {
  const columns = [
    heads.map((head) => head.partition),
    heads.map((head) => head.offset),
    heads.map((head) => head.chain),
  ];
  const found = await run<{ n: number }>(
    database,
    sql`
      select n::integer - 1 as n
      from unnest(${columns[0]}::integer[], ${columns[1]}::bigint[], ${columns[2]}::text[])
        with ordinality as head (partition, next_offset, chain, n)
      where not exists (
        select from (
          select * from intake_segments s
          where s.partition = head.partition and first_offset < head.next_offset order by first_offset desc limit 1
        ) last
        where last.first_offset + last.count = head.next_offset and last.chain = decode(head.chain, 'hex')
      )
      order by n`,
  );
  return found.flatMap(({ n }) => heads[n] ?? []);
}

/** One sentence for operators while they are lost. @throws LogUnavailable */
export const signedHeadsWarnings = async (store: Pick<EventStore, 'readStream'>): Promise<readonly string[]> =>
  (await findHeads(store)).isLost ? [new SignedHeadsLost().message] : [];

interface SigningParts {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly database: Queryable;
  /** Ed25519, private. */
  readonly key: KeyObject;
  /** The app of the process. */
  readonly app: string;
}

/**
 * Signs the ends of all partitions and stores them, unless nothing was added since the last time. Any number of processes
 * may: the revision of the stream admits one.
 * @throws LogTampered where the log does not go on behind the heads that were signed before; nothing is signed then
 */
export async function signIntakeHeads(parts: SigningParts, now: Date): Promise<void> {
  const { store, database } = parts;
  const newest = await readSignedHeads(store);
  const restartedAt = newest?.signed.restartedAt;
  const present = { ...(await readIntakeHeads(database)), ...(restartedAt === undefined ? {} : { restartedAt }) };
  const [broken] = newest ? await findDiscontinued(parts, newest.signed) : [];
  if (broken) throw tampered({ ...broken, finding: 'rewritten' });
  if (present.heads.length === 0 || (newest && isSame(newest.signed.heads, present.heads))) return;
  const { stream = SIGNED_HEADS_STREAM, revision: expected = 'no-stream' } = newest ?? {};
  const result = await append(parts, present, { stream, expected }, now);
  if (result.ok || result.conflict === 'no-stream') return;
  const { event: stored } = await findHeads(store); // of another process, unless they are gone
  if (stored && stored.revision >= result.conflict) return;
  throw new LogTampered(`${INTAKE_LOG_LABEL} cannot be signed: its newest signed heads are gone from the event store.`);
}

/** Signs the log as it is from now on, whatever was signed before: for an operator who has restored or repaired it. */
export async function restartIntakeHeads(parts: SigningParts, now: Date): Promise<void> {
  const present = { ...(await readIntakeHeads(parts.database)), restartedAt: now.toISOString() };
  const { stream, event } = await findHeads(parts.store);
  let expected: ExpectedRevision = event?.revision ?? 'no-stream';
  for (let isStored = false; !isStored;) {
    const result = await append(parts, present, { stream, expected }, now);
    isStored = result.ok;
    if (!result.ok) expected = result.conflict;
  }
}

async function append(
  parts: SigningParts,
  present: IntakeHeads,
  { stream, expected }: Pick<AppendRequest, 'stream' | 'expected'>,
  now: Date,
): Promise<AppendResult> {
  const { store, database, key, app } = parts;
  const [broken] = await findBrokenHeads(database, present.heads);
  if (broken) throw tampered({ ...broken, finding: 'head_changed' });
  await addPublicKey(database, key);
  const metadata = { actor: 'system', actorType: 'system', occurredAt: now.toISOString(), app, schemaVersion: '2' };
  const event = { id: randomUUID(), type: SIGNED_HEADS_TYPE, data: signContent(key, present, now), metadata };
  return store.append(stream, expected, [event]);
}

/** The signed heads behind which the log does not go on. @throws LogTampered where none of them is of this log */
export async function findDiscontinued(
  { database, key }: Pick<SigningParts, 'database' | 'key'>,
  signed: SignedIntakeHeads,
): Promise<readonly IntakeHead[]> {
  const { keyId, signedAt, heads } = signed;
  const trusted = await readTrustedKeys(database, key);
  if (verifySignature(signed, trusted(0)) !== 'valid')
    throw new LogTampered(
      `${INTAKE_LOG_LABEL}'s newest signed heads were not signed with a key of this installation: ${keyId}.`,
    );
  if (signed.epoch !== (await readEpoch(database)))
    throw new LogTampered(
      `${INTAKE_LOG_CHANGED}: it is another log than the one whose heads were signed at ${signedAt}.`,
    );
  return findBrokenHeads(database, heads);
}

const isSame = (one: readonly IntakeHead[], other: readonly IntakeHead[]): boolean =>
  one.length === other.length &&
  one.every(({ partition, offset }, at) => other[at]?.partition === partition && other[at].offset === offset);
