import { sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson } from './canonical-json';
import type { ChainHead } from './event-store';

/** Canonical JSON of `{ hash, organization, revision }`, in UTF-8: what is signed of a head. */
const statement = (organization: string, { revision, hash }: ChainHead): Buffer =>
  Buffer.from(canonicalJson({ organization, revision, hash }), 'utf8');

/** Ed25519, base64. */
export const signHead = (key: KeyObject, organization: string, head: ChainHead): string =>
  sign(null, statement(organization, head), key).toString('base64');

export const isSignedHead = (key: KeyObject, organization: string, head: ChainHead, signature: string): boolean =>
  verify(null, statement(organization, head), key, Buffer.from(signature, 'base64'));
