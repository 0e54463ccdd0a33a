import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from './canonical-json';
import type { ChainHead, SealedHead } from './event-store';

/** The end of an organization's hash chain at a time, signed with Ed25519; kept elsewhere, it proves the chain up to it. */
export interface SignedHead extends ChainHead {
  readonly organization: string;
  /** ISO 8601 UTC. */
  readonly signedAt: string;
  /** Of the public key; see `keyIdOf`. */
  readonly keyId: string;
  /** Base64, of the canonical JSON (RFC 8785) of all other members. */
  readonly signature: string;
}

/** Ed25519 public keys by their ids: the present one and earlier ones. */
export type PublicKeys = ReadonlyMap<string, KeyObject>;

export type SignatureVerdict = 'valid' | 'invalid' | 'unknown_key';

export function signHead(key: KeyObject, organization: string, { revision, hash }: ChainHead, at: Date): SignedHead {
  const head = { organization, revision, hash, signedAt: at.toISOString(), keyId: keyIdOf(key) };
  return { ...head, signature: sign(null, statement(head), key).toString('base64') };
}

export function verifySignedHead({ signature, ...head }: SignedHead, keys: PublicKeys): SignatureVerdict {
  const key = keys.get(head.keyId);
  if (!key) return 'unknown_key';
  return verify(null, statement(head), key, Buffer.from(signature, 'base64')) ? 'valid' : 'invalid';
}

/** The signature with which a head was stored. The first ones had neither a time nor the id of a key. */
export function verifySealedHead(organization: string, head: SealedHead, keys: PublicKeys): SignatureVerdict {
  const { revision, hash, signature = '', signedAt, keyId } = head;
  if (signedAt !== undefined && keyId !== undefined)
    return verifySignedHead({ organization, revision, hash, signature, signedAt, keyId }, keys);
  const bytes = Buffer.from(canonicalJson({ organization, revision, hash }), 'utf8');
  const isSigned = (key: KeyObject) => verify(null, bytes, key, Buffer.from(signature, 'base64'));
  return [...keys.values()].some(isSigned) ? 'valid' : 'invalid';
}

/** The first 16 hex digits of the SHA-256 of the public key in DER (SPKI); of a private key, those of its public key. */
export function keyIdOf(key: KeyObject): string {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

export const publicKeysOf = (...keys: readonly KeyObject[]): PublicKeys =>
  new Map(keys.map((key) => [keyIdOf(key), key.type === 'private' ? createPublicKey(key) : key]));

/** What is signed. */
function statement({ organization, revision, hash, signedAt, keyId }: Omit<SignedHead, 'signature'>): Buffer {
  return Buffer.from(canonicalJson({ organization, revision, hash, signedAt, keyId }), 'utf8');
}
