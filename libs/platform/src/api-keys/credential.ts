import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

interface CredentialOptions {
  /** Ignores an empty x-api-key and Authorization schemes other than Bearer, which proxies in front of a beacon add. */
  readonly lenient?: boolean;
}

/**
 * The API key that a request presents in `x-api-key`, `Authorization: Bearer`, or both with the same text. Null when it
 * presents none; an empty text, which is no key's secret, when it presents something else.
 */
export function credentialOf(headers: IncomingHttpHeaders, { lenient = false }: CredentialOptions = {}): string | null {
  const apiKey = single(headers['x-api-key']);
  const { authorization } = headers;
  const sent = [
    lenient && apiKey === '' ? undefined : apiKey,
    lenient && !isBearer(authorization) ? undefined : bearerToken(authorization),
  ].filter((text) => text !== undefined);
  const [secret = null, second = secret] = sent;
  return secret === second ? secret : '';
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? '' : header?.trim();

const isBearer = (header: string | undefined): boolean => header !== undefined && /^bearer /i.test(header);

/** The token of `Authorization: Bearer <token>`; an empty text for any other scheme. */
const bearerToken = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');

/** In constant time, whatever the length of both. */
export const isSameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(wanted));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
