import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { requestIdOf, withinRequest } from '@ledgerline/platform/http/request-id';
import { trusted } from '@ledgerline/platform/http/trusted';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf } from './problems';

const BODY_LIMIT = 1024 * 1024;

/** Fastify with our limits, request ids and headers on every response. */
export function httpAdapter({ trustProxy }: Pick<Settings, 'trustProxy'>): FastifyAdapter {
  const adapter = new JsonAdapter({
    trustProxy: trusted(trustProxy),
    bodyLimit: BODY_LIMIT,
    genReqId: requestIdOf,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 200 },
    // what never reaches a route, such as a malformed URL
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => {
      const problem = new Problem('VALIDATION_ERROR', 'The request is not valid');
      void reply.header('x-request-id', request.id).status(400).send(bodyOf(problem, request.id));
    },
  });
  adapter.getInstance().removeContentTypeParser('text/plain');
  adapter.getInstance().addHook('onRequest', (request, reply, done) => {
    void reply.headers({ ...HEADERS, 'x-request-id': request.id });
    withinRequest(request.id, done);
  });
  return adapter;
}

/** Fastify's own parser reads JSON and refuses what reaches for a prototype; Nest would bring one for forms. */
class JsonAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    // intentionally empty: other sites can send forms with our cookies
  }
}

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
