import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { FastifyReply } from 'fastify';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { HostAdapter, type HttpHostOptions } from '@ledgerline/platform/http/host-adapter';
import { forbiddenValue, parseInTurn, parseJson } from '@ledgerline/platform/http/json-body';
import { ProtocolProblem } from '@ledgerline/platform/http/problem.filter';
import { CommandResult } from './commands/command-context';
import { rewriteConsoleUrl } from './console/console.controller';
import { OFREP } from './flags/public/ofrep.dto';
import { TaggedAnswer } from './http/entity-tag';
import { invalid } from './http/problems';
import { wrongFieldSentence } from './http/wrong-fields';

type Cors = Required<Pick<HttpHostOptions, 'headersFor' | 'preflightHeaders'>>;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const ALLOWED =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, X-Correlation-ID, X-Min-Position, X-Request-ID, x-api-key';
const EXPOSED =
  'Allow, Content-Disposition, ETag, Retry-After, X-Log-Position, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID, X-Total-Rows, X-Hidden-Rows, X-Truncated';

const PREFLIGHT = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': '600', // seconds for which a browser keeps this answer
};

/** Routes for pages of any website, without credentials. */
const FOR_ALL = '/public/';

/** Returns whether an address is one of a public route. */
export const isPublicUrl = (url: string): boolean => url.startsWith(FOR_ALL);

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
function corsFor(dashboardOrigins: readonly string[]): Cors {
  const isAllowed = ({ origin }: IncomingHttpHeaders) => origin !== undefined && dashboardOrigins.includes(origin);
  return {
    headersFor: (headers, path = '') => {
      const forAll = isPublicUrl(path) ? OF_ALL : {};
      return { vary: 'Origin', ...forAll, ...(isAllowed(headers) ? ofDashboard(String(headers.origin)) : {}) };
    },
    preflightHeaders: ({ method, headers, url }) => {
      if (method !== 'OPTIONS' || !headers['access-control-request-method']) return undefined;
      if (!isPublicUrl(url)) return isAllowed(headers) ? PREFLIGHT : undefined;
      if (!isAllowed(headers)) return PREFLIGHT_OF_ALL;
      // with credentials, browsers do not take * for all headers
      return { ...PREFLIGHT, 'access-control-allow-headers': headers['access-control-request-headers'] ?? ALLOWED };
    },
  };
}

/** Fastify with our limits, request ids and headers on every response. */
export function apiHttpAdapter(
  { trustProxy, dashboardOrigins }: Pick<Settings, 'trustProxy' | 'dashboardOrigins'>,
  options: Pick<HttpHostOptions, 'requestTimeoutMs'> = {},
): HostAdapter {
  const { headersFor, preflightHeaders } = corsFor(dashboardOrigins);
  const adapter = new ApiAdapter({
    ...options,
    trustProxy,
    maxParamLength: 200,
    headersFor: (headers, path) => ({ ...HEADERS, ...headersFor(headers, path) }),
    preflightHeaders,
    rewriteUrl: rewriteConsoleUrl,
  });
  const server = adapter.getInstance();
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, ({ routeOptions }, body: Buffer, done) => {
    // contexts of flags hold ids of other systems, which are compared as they are written
    parseInTurn(body.length, () => readBody(body, routeOptions.url?.startsWith(OFREP)), done);
  });
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    ({ routeOptions }, text, done) => {
      const read = () => {
        if (!FORM_ROUTES.has(routeOptions.url ?? '')) throw jsonOnly();
        return readForm(text.toString());
      };
      parseInTurn(text.length, read, done);
    },
  );
  server.addHook('preValidation', ({ params, query, body }, _, done) => {
    const forbidden = forbiddenValue(params) ?? forbiddenValue(query) ?? forbiddenValue(body);
    done(forbidden && invalid([{ ...forbidden, message: wrongFieldSentence(forbidden.message) }]));
  });
  // RFC 8058 lets mail programs choose; all that counts is in the address
  server.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, ({ routeOptions }, _, done) => {
    if (routeOptions.url === UNSUBSCRIBE) done(null, {});
    else done(jsonOnly());
  });
  // other sites can send forms and plain text with our cookies
  server.addContentTypeParser('*', (_, __, done) => {
    done(jsonOnly());
  });
  return adapter;
}

/** OAuth prescribes forms; those of our pages carry what shows that they are ours, and those of mails their token. */
const UNSUBSCRIBE = '/v1/destinations/:id/unsubscribe';
const FORM_ROUTES: ReadonlySet<string> = new Set([
  ...['sign-in', 'consent', 'grants', 'token', 'revoke'].map((form) => `/v1/auth/oauth2/${form}`),
  '/v1/auth/verify-email/confirm',
  '/v1/destinations/:id/confirm',
  UNSUBSCRIBE,
]);

const jsonOnly = () => new ProtocolProblem(415, 'The body must be JSON, with Content-Type: application/json');

/** More than any form has. */
const MAX_FORM_FIELDS = 200;

/** The fields of a form; those that it repeats are lists. @throws Problem */
function readForm(text: string): ParsedUrlQuery {
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
    throw new Problem('VALIDATION_ERROR', `A form must have at most ${MAX_FORM_FIELDS} fields`);
  return { ...parse(text) };
}

/** Undefined for an empty body, as many clients name its type also where an operation takes none. */
function readBody(bytes: Buffer, isExact?: boolean): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new Problem('VALIDATION_ERROR', 'The body must be UTF-8');
  return parseJson(bytes.toString(), isExact);
}

/** Sends what a command wrote as the entry alone, with its position in X-Log-Position, and answers with their ETag. */
class ApiAdapter extends HostAdapter {
  override reply(...[response, body, status]: Parameters<HostAdapter['reply']>): FastifyReply {
    if (body instanceof TaggedAnswer) return this.replyTagged(response as FastifyReply, body);
    if (!(body instanceof CommandResult)) return super.reply(response, body, status);
    if (body.cursor !== undefined) this.setHeader(response, 'x-log-position', `e:${body.cursor}`);
    return super.reply(response, body.entry ?? undefined, status); // a deletion answers with an empty body
  }

  private replyTagged(response: FastifyReply, answer: TaggedAnswer<unknown>): FastifyReply {
    const { headers, text } = answer.toSend(response.request.headers['if-none-match']);
    return response
      .headers(headers)
      .status(text === undefined ? 304 : 200)
      .send(text);
  }
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
