import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM; nonce, ciphertext and tag. */
export function encrypt(key: Buffer, plain: Buffer, context: readonly string[]): Buffer {
  const nonce = newNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bytesOf(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null for bytes that were not encrypted with this key in this context. */
export function decrypt(key: Buffer, bytes: Buffer, context: readonly string[]): Buffer | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(bytesOf(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

const bytesOf = (context: readonly string[]): Buffer => Buffer.from(JSON.stringify(context));

/** Drawn many at a time, as a single draw costs a third of an encryption. */
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let drawn = nonces.length;

function newNonce(): Buffer {
  if (drawn === nonces.length) {
    randomFillSync(nonces);
    drawn = 0;
  }
  const nonce = Buffer.from(nonces.subarray(drawn, drawn + NONCE_BYTES));
  drawn += NONCE_BYTES;
  return nonce;
}
