import { createHash } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 8;

/** The nth choice of a slug for a link: looks random, and is the same when the command is tried again. */
export function randomSlug(linkId: string, n: number): string {
  const bytes = createHash('sha256').update(`${linkId}:${n}`).digest();
  let rest = bytes.readBigUInt64BE() * 2n ** 64n + bytes.readBigUInt64BE(8);
  let slug = '';
  while (slug.length < LENGTH) {
    slug += ALPHABET.charAt(Number(rest % 62n));
    rest /= 62n;
  }
  return slug;
}
