import { createHmac, hash } from 'node:crypto';

/** What an id was made from; part of what is hashed, so that equal texts of two kinds never become one visitor. */
export type HashedKind = 'anonymous' | 'profile' | 'browser' | 'session';

/** The first 128 bits, as 32 hex digits, of HMAC-SHA-256 keyed by the salt. */
export function saltedHash(salt: Buffer, kind: HashedKind, value: string): string {
  const text = `${kind}\n${value}`;
  const fits = text.length <= MAX_TEXT && salt.length <= BLOCK;
  const digest = fits ? shortHmac(salt, text) : createHmac('sha256', salt).update(text).digest('hex');
  return digest.slice(0, 32);
}

/** The same without any secret: for ids that clients want to recognise. */
export const plainHash = (kind: HashedKind, value: string): string =>
  hash('sha256', `${kind}\n${value}`, 'hex').slice(0, 32);

/** Bytes that SHA-256 takes at once, and those of its digest. */
const [BLOCK, DIGEST] = [64, 32];
const MAX_TEXT = 512;
const BYTES_PER_CHARACTER = 3;

/** The key and what is hashed with it, and the key and the digest of that. */
const INNER = Buffer.alloc(BLOCK + MAX_TEXT * BYTES_PER_CHARACTER);
const OUTER = Buffer.alloc(BLOCK + DIGEST);

/** HMAC as RFC 2104 defines it, in half the time of `createHmac`, which makes objects that are costly to collect. */
function shortHmac(key: Buffer, text: string): string {
  for (let at = 0; at < BLOCK; at++) {
    const byte = key[at] ?? 0;
    INNER[at] = byte ^ 0x36;
    OUTER[at] = byte ^ 0x5c;
  }
  const length = BLOCK + INNER.write(text, BLOCK, 'utf8');
  OUTER.write(hash('sha256', INNER.subarray(0, length), 'binary'), BLOCK, 'latin1');
  return hash('sha256', OUTER, 'hex');
}
