import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';

const METHODS = 'GET, HEAD, POST, OPTIONS';
const ALLOWED =
  'Content-Type, Authorization, x-api-key, databuddy-client-id, databuddy-sdk-name, databuddy-sdk-version, x-request-id';
const EXPOSED =
  'X-Request-ID, Retry-After, X-Log-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/**
 * The headers of every response. Beacons are sent with credentials, so the origin is echoed, never `*`, on errors and
 * preflights too. This opens nothing: no cookie means anything here, and whether an origin may send hits is decided by
 * intake.
 */
export const responseHeaders = ({ origin }: IncomingHttpHeaders): Readonly<Record<string, string>> =>
  origin === undefined
    ? ANY_ORIGIN
    : {
        vary: 'Origin',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': EXPOSED,
      };

const ANY_ORIGIN = { vary: 'Origin', 'x-content-type-options': 'nosniff' };

/** Every OPTIONS request is answered as a preflight. */
export const preflightHeaders = ({ method }: FastifyRequest) => (method === 'OPTIONS' ? PREFLIGHT : undefined);

const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '86400',
};
