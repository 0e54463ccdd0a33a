import { createHash, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from './canonical-json';
import { organizationOf, type ChainHead, type Hash, type NewEvent, type StreamName } from './event-store';

/** What the first event of a chain names as its previous hash. */
export const GENESIS: Hash = '0'.repeat(64);

/** An event as the chain sees it: at its place in its stream, but nowhere in the global order. */
export interface ChainedEvent extends NewEvent {
  readonly stream: StreamName;
  readonly revision: number;
}

/**
 * The chain's formula, one chain per organization in the order its events were recorded:
 *
 *     hash = SHA-256( canonical JSON (RFC 8785), in UTF-8, of
 *       { data, id, metadata, organization, previousHash, revision, sealed, stream, type } )
 *
 * `sealed` is the ciphertext or null; `previousHash` is the hash before it in hex, 64 zeros for the first event.
 * The global position and the time of recording stay out, so a copy in another store keeps every hash.
 */
export function chainHash(event: ChainedEvent, previousHash: Hash): Hash {
  const { id, type, data, sealed = null, metadata, stream, revision } = event;
  const organization = organizationOf(stream);
  const text = canonicalJson({ data, id, metadata, organization, previousHash, revision, sealed, stream, type });
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Canonical JSON of `{ hash, organization, revision }`, in UTF-8: what is signed of a head. */
const statement = (organization: string, { revision, hash }: ChainHead): Buffer =>
  Buffer.from(canonicalJson({ organization, revision, hash }), 'utf8');

/** Ed25519, base64. */
export const signHead = (key: KeyObject, organization: string, head: ChainHead): string =>
  sign(null, statement(organization, head), key).toString('base64');

export const isSignedHead = (key: KeyObject, organization: string, head: ChainHead, signature: string): boolean =>
  verify(null, statement(organization, head), key, Buffer.from(signature, 'base64'));
