import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, OPTIONS';
const ALLOWED =
  'Content-Type, Authorization, x-api-key, databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, x-request-id';
const EXPOSED =
  'X-Request-ID, Retry-After, X-Log-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/**
 * Beacons are sent with credentials, so the origin is echoed, never `*`, on errors and preflights too. This opens
 * nothing: no cookie means anything here, and whether an origin may send hits is decided by intake.
 */
export function corsHeaders({ origin }: IncomingHttpHeaders): Readonly<Record<string, string>> {
  if (origin === undefined) return ANY_ORIGIN;
  return {
    ...ANY_ORIGIN,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': EXPOSED,
  };
}

const ANY_ORIGIN = { vary: 'Origin' };

export function answerPreflight({ method }: FastifyRequest, reply: FastifyReply): boolean {
  if (method !== 'OPTIONS') return false;
  void reply
    .header('access-control-allow-methods', METHODS)
    .header('access-control-allow-headers', ALLOWED)
    .header('access-control-max-age', '86400')
    .status(204)
    .send();
  return true;
}
