import type { IncomingHttpHeaders } from 'node:http';
import type { HostOptions } from '@ledgerline/platform/http/host-adapter';

type Cors = Required<Pick<HostOptions, 'headersFor' | 'preflightHeaders'>>;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const ALLOWED =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-Correlation-ID, X-Min-Position, X-Request-ID, x-api-key';
const EXPOSED =
  'Allow, Retry-After, X-Log-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID';

const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '600', // seconds for which a browser keeps this answer
};

/** Lets pages of the dashboards, and no others, call the api with credentials and read its answers, errors included. */
export function corsFor(dashboardOrigins: readonly string[]): Cors {
  const isAllowed = ({ origin }: IncomingHttpHeaders) => origin !== undefined && dashboardOrigins.includes(origin);
  return {
    headersFor: (headers) => ({
      vary: 'Origin',
      ...(isAllowed(headers)
        ? {
            'access-control-allow-origin': String(headers.origin),
            'access-control-allow-credentials': 'true',
            'access-control-expose-headers': EXPOSED,
          }
        : {}),
    }),
    preflightHeaders: ({ method, headers }) =>
      method === 'OPTIONS' && headers['access-control-request-method'] && isAllowed(headers) ? PREFLIGHT : undefined,
  };
}
