import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** The website the request as a whole is about: beacons have only the query string, fetches a header. */
export function websiteIdOf({ query, headers }: FastifyRequest): string | null {
  const { website_id, client_id } = query as Readonly<Record<string, unknown>>;
  return text(website_id) ?? text(client_id) ?? headerOf(headers, 'databuddy-client-id');
}

export const headerOf = (headers: IncomingHttpHeaders, name: string): string | null => text(headers[name]);

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
