import { randomUUID, type KeyObject } from 'node:crypto';
import type { Queryable } from '../database/pool';
import type { AppendResult, EventStore, ExpectedRevision } from '../event-store/event-store';
import { addPublicKey, readPublicKeys } from '../event-store/head-signer';
import { signContent, verifySignature } from '../event-store/signed-head';
import { SIGNED_HEADS_STREAM } from '../event-store/streams';
import { LogTampered } from '../log/log-reader';
import { readEpoch } from './intake-log-tables';
import { INTAKE_LOG, INTAKE_LOG_CHANGED, tampered } from './segment-chain';
import {
  findBrokenHeads,
  readIntakeHeads,
  readNewestEvent,
  readSignedHeads,
  SIGNED_HEADS_TYPE,
  type IntakeHead,
  type IntakeHeads,
  type SignedIntakeHeads,
} from './signed-intake-heads';

interface SigningParts {
  readonly store: Pick<EventStore, 'append' | 'readStream'>;
  readonly database: Queryable;
  /** Ed25519, private. */
  readonly key: KeyObject;
  /** Of the process. */
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
  const [broken] = newest ? await findDiscontinued(database, newest.signed) : [];
  if (broken) throw tampered({ ...broken, finding: 'rewritten' });
  if (present.heads.length === 0 || (newest && isSame(newest.signed.heads, present.heads))) return;
  const result = await append(parts, present, newest?.revision ?? 'no-stream', now);
  if (result.ok || result.conflict === 'no-stream') return;
  const stored = await readNewestEvent(store); // of another process, unless they are gone
  if (stored && stored.revision >= result.conflict) return;
  throw new LogTampered(`${INTAKE_LOG} cannot be signed: its newest signed heads are gone from the event store.`);
}

/** Signs the log as it is from now on, whatever was signed before: for an operator who has restored or repaired it. */
export async function restartIntakeHeads(parts: SigningParts, now: Date): Promise<void> {
  const present = { ...(await readIntakeHeads(parts.database)), restartedAt: now.toISOString() };
  let expected: ExpectedRevision = (await readNewestEvent(parts.store))?.revision ?? 'no-stream';
  for (let isStored = false; !isStored;) {
    const result = await append(parts, present, expected, now);
    isStored = result.ok;
    if (!result.ok) expected = result.conflict;
  }
}

async function append(
  parts: SigningParts,
  present: IntakeHeads,
  expected: ExpectedRevision,
  now: Date,
): Promise<AppendResult> {
  const { store, database, key, app } = parts;
  const [broken] = await findBrokenHeads(database, present.heads);
  if (broken) throw tampered({ ...broken, finding: 'head_changed' });
  await addPublicKey(database, key);
  const metadata = { actor: 'system', actorType: 'system', occurredAt: now.toISOString(), app, schemaVersion: '2' };
  const event = { id: randomUUID(), type: SIGNED_HEADS_TYPE, data: signContent(key, present, now), metadata };
  return store.append(SIGNED_HEADS_STREAM, expected, [event]);
}

/** The signed heads behind which the log does not go on. @throws LogTampered where none of them is of this log */
export async function findDiscontinued(database: Queryable, signed: SignedIntakeHeads): Promise<readonly IntakeHead[]> {
  const { keyId, signedAt, heads } = signed;
  if (verifySignature(signed, await readPublicKeys(database)) !== 'valid')
    throw new LogTampered(
      `${INTAKE_LOG}'s newest signed heads were not signed with a key of this installation: ${keyId}.`,
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
