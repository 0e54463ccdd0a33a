import type { IncomingHttpHeaders } from 'node:http';

/** What a request shows of itself: nothing, the text of an API key, or something that can be no credential of ours. */
export type Credential = { readonly kind: 'none' | 'unusable' } | { readonly kind: 'key'; readonly secret: string };

/** Both headers are accepted; when both are sent they must say the same. */
export function credentialOf(headers: IncomingHttpHeaders): Credential {
  const sent = [single(headers['x-api-key']), bearer(headers.authorization)].filter((text) => text !== undefined);
  const [secret, second = secret] = sent;
  if (secret === undefined) return { kind: 'none' };
  return secret === '' || secret !== second ? { kind: 'unusable' } : { kind: 'key', secret };
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? '' : header?.trim();

/** The token of `Authorization: Bearer <token>`; an empty text for any other scheme. */
const bearer = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');
