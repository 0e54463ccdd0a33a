import { createHash } from 'node:crypto';
import type { Json } from '@ledgerline/contracts/json';

/** JSON as `jsonb` takes it: without NUL characters and without halves of surrogate pairs, in names and in values. */
export function jsonText(value: Json): string {
  const text = JSON.stringify(value);
  return REFUSED.test(text) ? JSON.stringify(clean(value)) : text;
}

const REFUSED = /\\u(?:0000|d[89a-f])/i;

function clean(value: Json): Json {
  if (typeof value === 'string') return cleanString(value);
  if (Array.isArray(value)) return value.map((each: Json) => clean(each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [cleanString(name), each === undefined ? each : clean(each)]),
  );
}

/** Encoding to UTF-8 replaces a lone surrogate. */
const cleanString = (text: string) => Buffer.from(withoutNul(text), 'utf8').toString('utf8');

/** Postgres takes no NUL in a text. */
export const withoutNul = (text: string): string => text.replaceAll('\u0000', '');

/** The key of a stored text: the first 128 bits of the SHA-256 of its UTF-8 bytes, as 32 hex digits. */
export const textHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
