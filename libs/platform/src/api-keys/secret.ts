import { createHmac, randomInt } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET = /^svc_[A-Za-z0-9]{48}$/;

export const SECRET_PREFIX = 'svc_';

/** A new secret: `svc_` and 48 characters, 285 bits from the system's CSPRNG; `randomInt` draws without modulo bias. */
export const newSecret = (): string =>
  SECRET_PREFIX + Array.from({ length: 48 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** What may be shown of a secret for ever: the prefix and four characters. */
export const startOf = (secret: string): string => secret.slice(0, 8);

export const looksLikeSecret = (text: string): boolean => SECRET.test(text);

/** HMAC-SHA-256 under the pepper: without it, a stolen table cannot even be checked against guesses. */
export const hashSecret = (secret: string, pepper: string): Buffer =>
  createHmac('sha256', pepper).update(secret).digest();
