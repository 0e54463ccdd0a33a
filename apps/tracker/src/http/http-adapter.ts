import type { IncomingMessage } from 'node:http';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { requestIdOf } from '@ledgerline/platform/http/request-id';
import { trusted } from '@ledgerline/platform/http/trusted';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowOrigin, answerPreflight } from './cors';
import { bodyOf } from './problem.filter';

const BODY_LIMIT = 1024 * 1024;
/** Routes whose bodies have a limit of their own; Nest cannot declare it beside the route. */
const BODY_LIMITS: Readonly<Partial<Record<string, number>>> = { '/errors': 128 * 1024 };

/** Fastify as this host needs it: beacons, origins, doubled slashes, request ids. */
export function httpAdapter({ trustProxy }: Pick<Settings, 'trustProxy'>): FastifyAdapter {
  const adapter = new OwnParserAdapter({
    trustProxy: trusted(trustProxy),
    bodyLimit: BODY_LIMIT,
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: false,
    rewriteUrl: ({ url }: IncomingMessage) => withSingleSlashes(url ?? '/'),
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    frameworkErrors: refuseUnreadableUrl,
  });
  const server = adapter.getInstance();
  server.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply);
    allowOrigin(request, reply);
    if (request.method === 'OPTIONS') answerPreflight(reply);
    else done();
  });
  server.addHook('onRoute', (route) => {
    const limit = BODY_LIMITS[route.url];
    if (limit !== undefined) route.bodyLimit = limit;
  });
  // whatever a beacon calls its body, it is JSON; an empty one is the route's business
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(null, body === '' ? undefined : JSON.parse(body.toString()));
    } catch {
      done(new Problem('VALIDATION_ERROR', 'The body must be JSON'));
    }
  });
  return adapter;
}

/** Nest would bring parsers for JSON and forms; this host has one of its own for everything. */
class OwnParserAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    // on purpose nothing
  }
}

/** Clients join their configured address and a path as they like. */
export function withSingleSlashes(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('//')) return url;
  return path.replace(/\/{2,}/g, '/') + (end === -1 ? '' : url.slice(end));
}

/** What every answer bears. */
function setHeaders({ id }: FastifyRequest, reply: FastifyReply): void {
  void reply.header('x-request-id', id).header('x-content-type-options', 'nosniff');
}

/** What never reaches a route, such as a malformed escape in the path. */
function refuseUnreadableUrl(_: Error, request: FastifyRequest, reply: FastifyReply): void {
  setHeaders(request, reply);
  allowOrigin(request, reply);
  const problem = new Problem('VALIDATION_ERROR', 'The address cannot be read');
  void reply.status(400).send(bodyOf(problem, request.id));
}
