import { createHash, randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BYTES = 16;
const LENGTH = 26;
/** Value of each character by its code; -1 = not of the alphabet. */
const VALUES = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/** Sixteen bytes as 26 characters of Crockford base32 whose order is that of the bytes. */
export function encodeEventId(bytes: Uint8Array): string {
  if (bytes.length !== BYTES) throw new RangeError('An event id has 128 bits.');
  let text = '';
  let value = 0;
  let bits = 2; // 26 × 5 bits are two more than 128
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5;) text += ALPHABET.charAt((value >>> (bits -= 5)) & 31);
    value &= (1 << bits) - 1;
  }
  return text;
}

/** The sixteen bytes of an event id. @throws RangeError for what is none */
export function decodeEventId(id: string): Buffer {
  const bytes = Buffer.alloc(BYTES);
  if (!isEventId(id)) throw new RangeError(`"${id}" is not an event id.`);
  let value = 0;
  let bits = -2;
  for (let at = 0, next = 0; at < LENGTH; at++) {
    value = ((value << 5) | (VALUES[id.charCodeAt(at)] ?? 0)) & 0xfff;
    bits += 5;
    if (bits >= 8) bytes[next++] = value >>> (bits -= 8);
  }
  return bytes;
}

export const isEventId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text);

/** The id of an event whose client named it: the same for every delivery to that website under that kind. */
export function eventIdFromHash(website: string, kind: string, clientEventId: string): string {
  const hash = createHash('sha256').update(`${website}\n${kind}\n${clientEventId}`).digest();
  return encodeEventId(hash.subarray(0, BYTES));
}

/** Makes ULIDs: 48 bits of time, 80 random bits; those of one maker and one millisecond follow each other in order. */
export class EventIds {
  private readonly bytes = Buffer.alloc(BYTES);
  private readonly pool = Buffer.alloc(1024);
  private used = this.pool.length;
  private last = -1;

  /** @param now epoch ms; the order of ids is that of the calls as long as it does not run backwards */
  next(now: number): string {
    if (now === this.last) this.increment();
    else this.restart(now);
    return encodeEventId(this.bytes);
  }

  private restart(now: number): void {
    this.last = now;
    this.bytes.writeUIntBE(now, 0, 6);
    if (this.used + 10 > this.pool.length) {
      randomFillSync(this.pool);
      this.used = 0;
    }
    this.pool.copy(this.bytes, 6, this.used, (this.used += 10));
    this.bytes[6] = (this.bytes[6] ?? 0) & 0x7f; // TRICKY: leaves room, so that counting up never overflows into the time
  }

  private increment(): void {
    for (let at = BYTES - 1; at > 5; at--) {
      const byte = ((this.bytes[at] ?? 0) + 1) & 0xff;
      this.bytes[at] = byte;
      if (byte !== 0) return;
    }
  }
}
