import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '@ledgerline/platform/config/settings';
import { OpenApi } from '../../apps/api/src/reference/open-api';
import { SETTINGS } from '../../apps/api/src/tokens';
import { ResponseChecks, type Document } from './response-checks';

/** Every response of an api, compared with what /openapi.json says about it. */
interface ResponseWatch {
  /** @throws Error that lists the responses that differ */
  assertAsDocumented(): void;
}

/** By the settings that a document depends on: its schemas are compiled once for all apis of a worker. */
const CHECKS = new Map<string, ResponseChecks>();

function checksOf(app: NestFastifyApplication): ResponseChecks {
  const { publicApiUrl, publicTrackUrl } = app.get<Settings>(SETTINGS);
  const key = `${publicApiUrl} ${publicTrackUrl}`;
  // the library types its schemas more loosely than what it makes
  const checks = CHECKS.get(key) ?? new ResponseChecks(app.get(OpenApi).document() as unknown as Document);
  CHECKS.set(key, checks);
  return checks;
}

/** Watches from now on, all routes; to be called before the application is initialized. */
export function watchResponses(app: NestFastifyApplication): ResponseWatch {
  const violations = new Set<string>();
  let checks: ResponseChecks | undefined;
  const violationOf = (request: FastifyRequest, reply: FastifyReply, body: unknown): string | undefined => {
    if (request.method === 'HEAD' || request.method === 'OPTIONS') return undefined; // neither is an operation
    checks ??= checksOf(app);
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
