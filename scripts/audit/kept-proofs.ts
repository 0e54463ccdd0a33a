import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import type { JsonObject } from '@ledgerline/contracts/json';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import {
  type PublicKeys,
  type SignedHead,
  verifySignature,
  verifySignedHead,
} from '@ledgerline/platform/event-store/head-statement';
import { isSignedHeads, type SignedIntakeHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';

const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** A kept proof that is not what was printed. */
export class ChangedProof extends Error {}

/** The Ed25519 public keys of a PEM file. @throws StartFailure */
export function readPublicKeyFile(path: string): readonly KeyObject[] {
  const blocks = readText(path).match(PEM) ?? [];
  const keys = blocks.map((block) => keyIn(block));
  const usable = keys.filter((key) => key?.asymmetricKeyType === 'ed25519');
  if (usable.length > 0 && usable.length === keys.length) return usable as KeyObject[];
  throw new StartFailure(`${path} is no PEM file of Ed25519 public keys ("-----BEGIN PUBLIC KEY-----").`);
}

export const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'spki' }) as string;

/**
 * The head of an answer of `GET /v1/audit-log/verify`. Its signature is verified where public keys are given.
 * @throws StartFailure where the file cannot be read, ChangedProof
 */
export function readKeptHead(path: string, keys: PublicKeys): SignedHead {
  const { organizationId, head, signedAt, keyId, signature } = answerIn(readText(path));
  const texts = [organizationId, head?.hash, signedAt, keyId, signature];
  if (!texts.every((text) => typeof text === 'string') || !Number.isSafeInteger(head?.revision))
    throw new ChangedProof(`${path} is no answer of GET /v1/audit-log/verify with a signature, or was changed.`);
  const kept = { organization: organizationId, ...head, signedAt, keyId, signature } as SignedHead;
  if (keys.size > 0 && verifySignedHead(kept, keys) !== 'valid')
    throw new ChangedProof(`${path} is not signed with one of the given public keys, or was changed.`);
  return kept;
}

/** Returns what `audit heads` has printed. @throws StartFailure where the file cannot be read, ChangedProof */
export function readKeptIntakeHeads(path: string, keys: PublicKeys): SignedIntakeHeads {
  const kept = answerIn(readText(path)) as JsonObject;
  if (!isSignedHeads(kept)) throw new ChangedProof(`${path} is no output of "npm run audit -- heads", or was changed.`);
  if (verifySignature(kept, keys) === 'valid') return kept;
  throw new ChangedProof(`${path} names ${kept.keyId}, which is no trusted key, or was changed.`);
}

/** Explains that a file cannot be read; any other failure goes on. @throws StartFailure */
export const unreadable = (path: string) => (error: unknown) => {
  if (types.isNativeError(error) && 'syscall' in error) throw new StartFailure(`${path} cannot be read.`);
  throw error;
};

type Answer = { readonly head?: Partial<Record<string, unknown>> | null } & Readonly<Partial<Record<string, unknown>>>;

function answerIn(text: string): Answer {
  try {
    return (JSON.parse(text) ?? {}) as Answer;
  } catch {
    return {};
  }
}

function keyIn(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

/** @throws StartFailure */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return unreadable(path)(error);
  }
}
