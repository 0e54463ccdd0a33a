import { createHmac } from 'node:crypto';
import { isSameSecret } from '@ledgerline/platform/api-keys/secret-store';

/** A token: the id of the share, and what proves that it was made here; 30 characters of base64url are 180 bits. */
const TOKEN = /^([0-9A-Z]{26})([\w-]{30})$/;

const keyed = (pepper: string, ...parts: readonly string[]): string =>
  createHmac('sha256', pepper)
    .update(JSON.stringify(['share', ...parts]))
    .digest('base64url');

/**
 * The secret part of a share's address. It follows from the id and the pepper, so that it is stored nowhere, neither as
 * a hash nor encrypted, and can be shown again to those who send it to the next person.
 */
export const shareToken = (shareId: string, pepper: string): string =>
  `${shareId.replace('share_', '')}${keyed(pepper, 'token', shareId).slice(0, 30)}`;

/** The share that a token is of; undefined for a text that is none. Compares in constant time. */
export function shareOfToken(text: string, pepper: string): string | undefined {
  const id = TOKEN.exec(text)?.[1];
  return id !== undefined && isSameSecret(text, shareToken(`share_${id}`, pepper)) ? `share_${id}` : undefined;
}

/** In the place of a password, so that its slow hash in the events is of no use without the pepper. */
export const keyedPassword = (password: string, pepper: string): string => keyed(pepper, 'password', password);

/** Loads the hashing of better-auth, which hashes the passwords of accounts; imported as it is only for modules. */
const hashing = () => import('better-auth/crypto');

export const hashPassword = async (keyedText: string): Promise<string> => (await hashing()).hashPassword(keyedText);

export const isPassword = async (keyedText: string, hash: string): Promise<boolean> =>
  (await hashing()).verifyPassword({ password: keyedText, hash });

/** The time for which a password is not asked again. */
export const PASS_SECONDS = 12 * 3_600;

/** Shows that the password was given: `until` (epoch s) and a signature, which another password makes worthless. */
export const sharePass = (shareId: string, passwordHash: string, until: number, pepper: string): string =>
  `${until}.${keyed(pepper, 'pass', shareId, passwordHash, String(until))}`;

export function isSharePass(text: string, shareId: string, passwordHash: string, now: number, pepper: string): boolean {
  const until = Number(/^(\d{1,12})\./.exec(text)?.[1] ?? 0);
  return isSameSecret(text, sharePass(shareId, passwordHash, until, pepper)) && until * 1_000 > now;
}
