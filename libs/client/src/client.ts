import createFetchClient, { type Client as Routes, type ClientOptions as FetchOptions } from 'openapi-fetch';
import { dataOf } from './api-error.js';
import { idempotencyKeys } from './idempotency-keys.js';
import { ownWrites } from './own-writes.js';
import type { QueryAnswer, QueryParameter, QueryRequest } from './query-types.js';
import type { AuditVerdictDto, paths } from './schema.js';
import { verifyAuditLog, type VerifyOptions } from './verify-audit-log.js';

export { ApiError, dataOf } from './api-error.js';
export type * from './query-types.js';
export type * from './schema.js';
export type { VerifyOptions } from './verify-audit-log.js';

export interface ClientOptions extends Omit<FetchOptions, 'headers'> {
  /** Where the api is: `https://api.example.com`; in a page of the api itself its own origin. */
  readonly baseUrl: string;
  /** An API key. Without one, a browser sends the cookie of its session. */
  readonly apiKey?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Every route as a method of openapi-fetch (`GET`, `POST`, …), which returns `data` or `error`; {@link dataOf} makes
 * of that the data, or throws.
 */
export interface Client extends Routes<paths, 'application/json'> {
  /** @throws ApiError when the request as a whole is refused; a parameter that fails alone says so in its entry */
  query<const Parameters extends readonly QueryParameter[]>(
    request: QueryRequest<Parameters>,
    init?: Pick<RequestInit, 'signal'>,
  ): Promise<QueryAnswer<Parameters>>;

  /** Lets the api verify the whole history of an organization. @throws ApiError when it is refused */
  verifyAuditLog(organizationId: string, options?: VerifyOptions): Promise<AuditVerdictDto>;
}

export function createClient({ apiKey, headers, ...options }: ClientOptions): Client {
  const routes = createFetchClient<paths, 'application/json'>({
    ...options,
    headers: { ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }), ...headers },
  });
  routes.use(idempotencyKeys(), ownWrites());
  return {
    ...routes,
    query: (request, init) => query(routes, request, init),
    verifyAuditLog: (organizationId, init) => verifyAuditLog(routes, organizationId, init),
  };
}

async function query<Parameters extends readonly QueryParameter[]>(
  routes: Routes<paths, 'application/json'>,
  { website, link, monitor, parameters, ...request }: QueryRequest<Parameters>,
  init: Pick<RequestInit, 'signal'> = {},
): Promise<QueryAnswer<Parameters>> {
  const params = { query: { website_id: website, link_id: link, monitor_id: monitor } };
  const answer = await dataOf(
    routes.POST('/v1/query', { ...init, params, body: { ...request, parameters: [...parameters] } }),
  );
  // one request has one answer, with an entry for each parameter in their order
  return answer as unknown as QueryAnswer<Parameters>;
}
