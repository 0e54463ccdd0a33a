import type { IncomingHttpHeaders } from 'node:http';
import type { HostOptions } from '@ledgerline/platform/http/host-adapter';

type Cors = Required<Pick<HostOptions, 'headersFor' | 'preflightHeaders'>>;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const ALLOWED =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-Correlation-ID, X-Min-Position, X-Request-ID, x-api-key';
const EXPOSED =
  'Allow, ETag, Retry-After, X-Log-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID, X-Total-Rows, X-Hidden-Rows, X-Truncated';

const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '600', // seconds for which a browser keeps this answer
};

/** Routes for pages of any website, without credentials. */
const FOR_ALL = '/public/';

/** Whether an address is one of a public route. */
export const isForAll = (url: string): boolean => url.startsWith(FOR_ALL);

const OF_ALL: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'cross-origin-resource-policy': 'cross-origin',
};

const PREFLIGHT_OF_ALL = {
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': '*',
  'access-control-max-age': PREFLIGHT['access-control-max-age'],
};

const ofDashboard = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': EXPOSED,
});

/**
 * Lets pages of the dashboards, and no others, call the api with credentials and read its answers, errors included. Pages
 * of any other origin may call the public routes, without credentials.
 */
export function corsFor(dashboardOrigins: readonly string[]): Cors {
  const isAllowed = ({ origin }: IncomingHttpHeaders) => origin !== undefined && dashboardOrigins.includes(origin);
  return {
    headersFor: (headers, path = '') => {
      const forAll = isForAll(path) ? OF_ALL : {};
      return { vary: 'Origin', ...forAll, ...(isAllowed(headers) ? ofDashboard(String(headers.origin)) : {}) };
    },
    preflightHeaders: ({ method, headers, url }) => {
      if (method !== 'OPTIONS' || !headers['access-control-request-method']) return undefined;
      if (!isForAll(url)) return isAllowed(headers) ? PREFLIGHT : undefined;
      if (!isAllowed(headers)) return PREFLIGHT_OF_ALL;
      // with credentials, browsers do not take * for all headers
      return { ...PREFLIGHT, 'access-control-allow-headers': headers['access-control-request-headers'] ?? ALLOWED };
    },
  };
}
