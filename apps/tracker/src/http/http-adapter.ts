import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { MAX_ERRORS_BODY } from '@ledgerline/contracts/intake-limits';
import { isObject } from '@ledgerline/contracts/json';
import type { Settings } from '@ledgerline/platform/config/settings';
import { countedAddress } from '@ledgerline/platform/http/address';
import { HostAdapter, type HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import { parseInTurn, parseJson, withExactIntegers } from '@ledgerline/platform/http/json-body';
import {
  type HostRefusals,
  type RefusalReply,
  type RefusedRequest,
  frameworkProblem,
} from '@ledgerline/platform/http/problem.filter';
import { HitTooLarge } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable, OutcomeUnknown } from '@ledgerline/platform/log/log-reader';
import { type RateLimits, setRateLimitHeaders } from './rate-limits';

/** Routes whose bodies have a limit of their own; Nest cannot declare it beside the route. */
const BODY_LIMITS: Readonly<Partial<Record<string, number>>> = { '/errors': MAX_ERRORS_BODY };

/** Fastify as this host needs it: beacons, origins, doubled slashes. */
export function trackerHttpAdapter(
  { trustProxy }: Pick<Settings, 'trustProxy'>,
  options: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
): HostAdapter {
  const adapter = new HostAdapter({
    ...options,
    trustProxy,
    headersFor: responseHeaders,
    preflightHeaders,
    rewriteUrl: withSingleSlashes,
    exposeHeadRoutes: false,
    maxParamLength: 300,
  });
  const server = adapter.getInstance();
  server.addHook('onRoute', (route) => {
    const limit = BODY_LIMITS[route.url];
    if (limit !== undefined) route.bodyLimit = limit;
  });
  // beacons send JSON under any content type; an empty body is the route's business
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => {
    parseInTurn(body.length, () => (body === '' ? undefined : readBody(body.toString())), done);
  });
  return adapter;
}

/** The fields that hold whatever a client has; all other numbers have a meaning here. */
const FREE_FIELDS = ['properties', 'traits'] as const;

/** The items of a body, with integers in their free fields as they were written. @throws Problem for what is no JSON */
function readBody(json: string): unknown {
  const body = parseJson(json);
  const exactJson = withExactIntegers(json);
  if (exactJson === json) return body;
  const exact = [parseJson(exactJson)].flat();
  for (const [at, item] of [body].flat().entries()) {
    const same = exact[at];
    if (!isObject(item) || !isObject(same)) continue;
    for (const name of FREE_FIELDS) if (Object.hasOwn(item, name)) Object.assign(item, { [name]: same[name] });
  }
  return body;
}

/** Clients join their configured address and a path as they like. */
function withSingleSlashes(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('//')) return url;
  return path.replace(/\/{2,}/g, '/') + (end === -1 ? '' : url.slice(end));
}

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
const responseHeaders = ({ origin }: IncomingHttpHeaders): Readonly<Record<string, string>> =>
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
const preflightHeaders = ({ method }: FastifyRequest) => (method === 'OPTIONS' ? PREFLIGHT : undefined);

const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '86400',
};

const RETRY_SECONDS = 2;
const OUTCOME_UNKNOWN =
  'It is not known whether these events were accepted; send them again: those with the same event ids are counted once, others may be counted twice';

/** The refusals of the tracking host: by their address, with a body that the SDKs read. */
export class TrackerRefusals implements HostRefusals {
  constructor(private readonly limits: RateLimits) {}

  problemOf(error: unknown): Problem | undefined {
    if (error instanceof Problem) return error;
    if (error instanceof OutcomeUnknown)
      return new Problem('SERVICE_UNAVAILABLE', OUTCOME_UNKNOWN, undefined, RETRY_SECONDS);
    if (error instanceof LogUnavailable)
      return new Problem('SERVICE_UNAVAILABLE', 'Nothing was accepted; please try again', undefined, RETRY_SECONDS);
    if (error instanceof HitTooLarge) return new Problem('PAYLOAD_TOO_LARGE', 'An event is too large');
    return frameworkProblem(error);
  }

  /** An address that is refused too often is refused for that. */
  count(problem: Problem, { ip }: RefusedRequest, reply: RefusalReply): Problem {
    const limit = this.limits.take('refused', countedAddress(ip), 1);
    setRateLimitHeaders(limit, reply);
    return limit.exceeded ? tooManyRequests(limit.resetSeconds) : problem;
  }

  challenge({ code }: Problem): string | undefined {
    return code === 'AUTH_REQUIRED' ? 'Bearer' : undefined;
  }

  allow(methods: readonly string[]): readonly string[] {
    return ['OPTIONS', ...methods];
  }

  bodyOf({ code, message, details }: Problem, { id: requestId }: RefusedRequest): object {
    const errors = details ? { errors: details } : {};
    return { success: false, status: 'error', error: message, message, code, requestId, ...errors };
  }
}

export const tooManyRequests = (resetSeconds: number): Problem =>
  new Problem('RATE_LIMITED', 'Too many requests', undefined, resetSeconds);
