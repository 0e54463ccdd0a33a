import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenApi } from '../../apps/api/src/discovery/open-api';
import { ResponseChecks, type Document } from './response-checks';

/** Every response of an api, compared with what /openapi.json says about it. */
export interface ResponseWatch {
  /** @throws Error that lists the responses that differ */
  assertAsDocumented(): void;
}

/** Watches from now on, all routes; to be called before the application is initialized. */
export function watchResponses(app: NestFastifyApplication): ResponseWatch {
  const violations = new Set<string>();
  let checks: ResponseChecks | undefined;
  const violationOf = (request: FastifyRequest, reply: FastifyReply, body: unknown): string | undefined => {
    if (request.method === 'HEAD' || request.method === 'OPTIONS') return undefined; // neither is an operation
    checks ??= new ResponseChecks(app.get(OpenApi).document() as unknown as Document);
    const { url } = request.routeOptions;
    return checks.violation({
      route: url === undefined ? undefined : `${request.method} ${url}`,
      status: reply.statusCode,
      contentType: String(reply.getHeader('content-type') ?? ''),
      body: typeof body === 'string' ? body : '',
    });
  };
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onSend', (request, reply, payload, done) => {
      try {
        const violation = violationOf(request, reply, payload);
        if (violation !== undefined) violations.add(violation);
      } catch (error) {
        violations.add(`The document or the response cannot be read: ${String(error)}`);
      }
      done(null, payload);
    });
  return {
    assertAsDocumented() {
      if (violations.size === 0) return;
      throw new Error(`Responses are not as /openapi.json describes them:\n- ${[...violations].join('\n- ')}`);
    },
  };
}
