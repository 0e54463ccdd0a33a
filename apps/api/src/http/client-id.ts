import type { FastifyRequest } from 'fastify';

/** Names the website of a request for flags, as providers of OpenFeature can set headers but not parameters. */
export const CLIENT_ID_HEADER = 'databuddy-client-id';

/** The same in the query string. */
export const CLIENT_ID = 'clientId';

/** Every website that a request for flags names, also wrongly; a request that is not parsed has no query. */
export function clientIdsOf({
  headers,
  query,
}: Partial<Pick<FastifyRequest, 'headers' | 'query'>>): readonly unknown[] {
  const named = [headers?.[CLIENT_ID_HEADER], (query as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_ID]];
  return named.filter((id) => id !== undefined);
}
