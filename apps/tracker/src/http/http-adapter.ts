import { MAX_ERRORS_BODY } from '@ledgerline/contracts/intake-limits';
import type { Settings } from '@ledgerline/platform/config/settings';
import { HostAdapter, type HostOptions } from '@ledgerline/platform/http/host-adapter';
import { parseJson, withExactIntegers } from '@ledgerline/platform/http/json-body';
import { preflightHeaders, responseHeaders } from './cors';

/** Routes whose bodies have a limit of their own; Nest cannot declare it beside the route. */
const BODY_LIMITS: Readonly<Partial<Record<string, number>>> = { '/errors': MAX_ERRORS_BODY };

/** Fastify as this host needs it: beacons, origins, doubled slashes. */
export function httpAdapter(
  { trustProxy }: Pick<Settings, 'trustProxy'>,
  options: Pick<HostOptions, 'requestTimeoutMs'> = {},
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
    try {
      done(null, body === '' ? undefined : readBody(body.toString()));
    } catch (error) {
      done(error as Error);
    }
  });
  return adapter;
}

/** What holds whatever a client has; all other numbers have a meaning here. */
const FREE_FIELDS = ['properties', 'traits'] as const;

/** The items of a body, with integers in their free fields as they were written. @throws Problem for what is no JSON */
function readBody(json: string): unknown {
  const body = parseJson(json);
  const exactJson = withExactIntegers(json);
  if (exactJson === json) return body;
  const exact = [parseJson(exactJson)].flat() as Readonly<Record<string, unknown>>[];
  for (const [at, item] of [body].flat().entries()) {
    if (typeof item !== 'object' || item === null) continue;
    for (const name of FREE_FIELDS) if (Object.hasOwn(item, name)) Object.assign(item, { [name]: exact[at]?.[name] });
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
