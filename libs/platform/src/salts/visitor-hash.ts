import { createHash, createHmac } from 'node:crypto';

/** What an id was made from; part of what is hashed, so that equal texts of two kinds never become one visitor. */
export type HashedKind = 'anonymous' | 'profile' | 'browser' | 'session';

/** The first 128 bits, as 32 hex digits, of HMAC-SHA-256 keyed by the salt. */
export const saltedHash = (salt: Buffer, kind: HashedKind, value: string): string =>
  createHmac('sha256', salt).update(`${kind}\n${value}`).digest('hex').slice(0, 32);

/** The same without any secret: for ids that clients want to recognise. */
export const plainHash = (kind: HashedKind, value: string): string =>
  createHash('sha256').update(`${kind}\n${value}`).digest('hex').slice(0, 32);
