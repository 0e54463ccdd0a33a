import { hash, randomFillSync } from 'node:crypto';

/** Ids of observed events: 128 bits as 26 characters of Crockford base32, which sort in the same order. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;
const PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const VALUES = new Uint8Array(128);
for (let value = 0; value < 32; value++) VALUES[DIGITS.charCodeAt(value)] = value;

/** Buffer for the digits of an id: concatenating characters is several times slower. */
const CODES = Buffer.alloc(LENGTH);

export const isEventId = (text: string): boolean => PATTERN.test(text);

/** @throws RangeError unless there are exactly 16 bytes */
export function encodeEventId(bytes: Uint8Array): string {
  if (bytes.length !== 16) throw new RangeError(`an event id has 16 bytes, not ${bytes.length}`);
  // 128 bits are 26 digits of 5 bits with two zero bits in front
  for (let digit = 0, bits = 0, window = 0, at = 0; digit < LENGTH; digit++) {
    const wanted = digit === 0 ? 3 : 5;
    if (bits < wanted) {
      window = ((window & 31) << 8) | (bytes[at++] ?? 0);
      bits += 8;
    }
    bits -= wanted;
    CODES[digit] = DIGITS.charCodeAt((window >> bits) & (digit === 0 ? 7 : 31));
  }
  return CODES.toString('latin1');
}

/** The 16 bytes of an id. @throws RangeError for an invalid id */
export function decodeEventId(id: string): Buffer {
  if (!isEventId(id)) throw new RangeError(`not an event id: ${id.slice(0, 40)}`);
  const bytes = Buffer.allocUnsafe(16);
  let window = VALUES[id.charCodeAt(0)] ?? 0;
  let bits = 3;
  for (let digit = 1, at = 0; digit < LENGTH; digit++) {
    window = ((window & 255) << 5) | (VALUES[id.charCodeAt(digit)] ?? 0);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (window >> bits) & 255;
    }
  }
  return bytes;
}

/**
 * The id derived from a client's event id: the same for every retry of one event of one kind on one website. Those of the
 * revisions of a report share their first 96 bits; the number of the revision is the rest.
 */
export function derivedEventId(
  website: string,
  kind: string,
  clientEventId: string,
  revision: number | null = null,
): string {
  const text = measured(website) + measured(kind) + measured(clientEventId);
  if (revision === null) return encodeEventId(hash('sha256', text, 'buffer').subarray(0, 16));
  const bytes = hash('sha256', `${text}${measured('revisions')}`, 'buffer').subarray(0, 16);
  bytes.writeUInt32BE(revision, REPORT_BYTES);
  return encodeEventId(bytes);
}

/** The bytes of an id that the revisions of a report share. */
export const REPORT_BYTES = 12;
export const MAX_REVISION = 0xffff_ffff;

const measured = (part: string): string => `${Buffer.byteLength(part)}:${part}`;

/** A new id like a ULID: 48 bits of epoch ms, then 80 random bits. */
export function randomEventId(at: number): string {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const bytes = POOL.subarray(used, (used += 16));
  bytes.writeUIntBE(at, 0, 6);
  return encodeEventId(bytes);
}

/** Random bytes are generated in large blocks: sixteen cost as much as thousands. */
const POOL = Buffer.alloc(4096);
let used = POOL.length;
