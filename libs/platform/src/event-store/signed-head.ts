import { createHash, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import type { JsonObject } from '@ledgerline/contracts/json';
import { canonicalJson } from './chain-hash';
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

/** Content with a time, the id of a key, and a signature over the canonical JSON of all of these. */
export type Signed<Content> = Content & Pick<SignedHead, 'signedAt' | 'keyId' | 'signature'>;

export function signContent<Content extends JsonObject>(key: KeyObject, content: Content, at: Date): Signed<Content> {
  const statement = { ...content, signedAt: at.toISOString(), keyId: keyIdOf(key) };
  return { ...statement, signature: sign(null, bytesOf(statement), key).toString('base64') };
}

export function verifySignature({ signature, ...content }: Signed<JsonObject>, keys: PublicKeys): SignatureVerdict {
  const key = keys.get(content.keyId);
  if (!key) return 'unknown_key';
  return verify(null, bytesOf(content), key, Buffer.from(signature, 'base64')) ? 'valid' : 'invalid';
}

export const signHead = (key: KeyObject, organization: string, { revision, hash }: ChainHead, at: Date): SignedHead =>
  signContent(key, { organization, revision, hash }, at);

export const verifySignedHead = (head: SignedHead, keys: PublicKeys): SignatureVerdict => {
  const { organization, revision, hash, signedAt, keyId, signature } = head;
  return verifySignature({ organization, revision, hash, signedAt, keyId, signature }, keys);
};

/**
 * The signatures with which a head was stored: its own, and that of its seal. The first ones had neither a time nor the
 * id of a key.
 */
export function verifySealedHead(organization: string, head: SealedHead, keys: PublicKeys): SignatureVerdict {
  const { revision, hash, signature = '', signedAt, keyId, statement } = head;
  if (statement && statement['organization'] !== organization) return 'invalid';
  const ofSeal = statement ? verifySignature(statement, keys) : 'valid';
  if (ofSeal !== 'valid') return ofSeal;
  if (signedAt !== undefined && keyId !== undefined)
    return verifySignedHead({ organization, revision, hash, signature, signedAt, keyId }, keys);
  const bytes = bytesOf({ organization, revision, hash });
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

const bytesOf = (content: JsonObject): Buffer => Buffer.from(canonicalJson(content), 'utf8');
