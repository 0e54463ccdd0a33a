import { randomBytes } from 'node:crypto';
import { ulid } from 'ulid';

const POOL_BYTES = 4096;

let pool = Buffer.alloc(0);
let used = 0;

/** A ULID of now. The library itself asks the operating system for each of its sixteen random characters. */
export const newUlid = (): string => ulid(undefined, randomFraction);

function randomFraction(): number {
  if (used === pool.length) {
    pool = randomBytes(POOL_BYTES);
    used = 0;
  }
  return pool.readUInt8(used++) / 256;
}
