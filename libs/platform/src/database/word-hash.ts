import { createHash } from 'node:crypto';

/** What `words.hash` holds: the first 128 bits of the SHA-256 of the word's UTF-8 bytes, as 32 hex digits. */
export const wordHash = (word: string): string => createHash('sha256').update(word).digest('hex').slice(0, 32);
