import createFetchClient, {
  type Client as Routes,
  type ClientOptions as FetchOptions,
  type Middleware,
} from 'openapi-fetch';
import type { CheckedRequest, QueryAnswer, QueryParameter, QueryRequest } from './query-types.js';
import type { AuditProgressDto, AuditVerdictDto, FieldError, Need, Problem, paths } from './schema.js';

/** A refusal of the api: its code, the wrong fields or what is needed, and the id that finds the request in its log. */
export class ApiError extends Error {
  readonly code: Problem['code'] | undefined;
  readonly details: readonly FieldError[];
  /** Scopes or roles that the credential lacks. */
  readonly needs: readonly Need[];
  readonly requestId: string | undefined;
  readonly status: number;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(problem: unknown, response: Response) {
    const { error, code, details = [], requestId } = isProblem(problem) ? problem : NO_PROBLEM;
    super(error ?? `The api answered ${response.status}`);
    this.name = 'ApiError';
    this.status = response.status;
    this.code = code;
    this.details = details.filter((each) => 'field' in each);
    this.needs = details.filter((each) => 'needs' in each);
    this.requestId = requestId;
    this.retryAfter = Number(response.headers.get('retry-after')) || undefined;
  }
}

/** The problem of a response that a proxy before the api gave. */
const NO_PROBLEM: Partial<Problem> = {};

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'code' in body && 'error' in body;

/** The result to which a method of openapi-fetch resolves. */
interface Result {
  readonly data?: unknown;
  readonly error?: unknown;
  readonly response: Response;
}

type DataOf<Of extends Result> = Extract<Of, { readonly error?: never }>['data'];

/** The data of a call: `dataOf(client.GET('/v1/links', …))`. @throws ApiError when it is refused */
export async function dataOf<Of extends Result>(call: Promise<Of>): Promise<DataOf<Of>> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(error, response);
  return data;
}

export interface VerifyOptions extends Pick<RequestInit, 'signal'> {
  /** Called a few times a second. */
  readonly onProgress?: (progress: AuditProgressDto) => void;
}

/** @throws ApiError when it is refused · Error when the answer ends without a verdict */
async function verifyAuditLog(
  routes: Routes<paths, 'application/json'>,
  organizationId: string,
  { onProgress, ...init }: VerifyOptions = {},
): Promise<AuditVerdictDto> {
  const params = { query: { organizationId, format: 'ndjson' as const } };
  const body = await dataOf(routes.GET('/v1/audit-log/verify', { ...init, params, parseAs: 'stream' }));
  for await (const line of linesOf(body)) {
    const entry = JSON.parse(line) as AuditProgressDto | AuditVerdictDto;
    if ('valid' in entry) return entry;
    onProgress?.(entry);
  }
  throw new Error('The verification ended without a verdict');
}

async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void> {
  if (!body) return;
  const reader = body.getReader(); // not every browser iterates over a stream
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = (text + decoder.decode(value, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel();
  }
}

export type * from './query-types.js';
export type * from './schema.js';

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
    request: CheckedRequest<Parameters>,
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
    query: <const Parameters extends readonly QueryParameter[]>(
      request: CheckedRequest<Parameters>,
      init?: Pick<RequestInit, 'signal'>,
    ) => query<Parameters>(routes, request, init),
    verifyAuditLog: (organizationId, init) => verifyAuditLog(routes, organizationId, init),
  };
}

async function query<Parameters extends readonly QueryParameter[]>(
  routes: Routes<paths, 'application/json'>,
  { website, link, tag, monitor, share, parameters, ...request }: QueryRequest<Parameters>,
  init: Pick<RequestInit, 'signal'> = {},
): Promise<QueryAnswer<Parameters>> {
  const query = { website_id: website, link_id: link, tag_id: tag, monitor_id: monitor };
  const body = { ...request, parameters: [...parameters] };
  const answer = await (share === undefined
    ? dataOf(routes.POST('/v1/query', { ...init, params: { query }, body }))
    : dataOf(routes.POST('/share/{token}/query', { ...init, params: { path: { token: share } }, body })));
  // one request has one answer, with an entry for each parameter in their order
  return answer as unknown as QueryAnswer<Parameters>;
}

const HEADER = 'Idempotency-Key';
/** POSTs that change nothing, or that take no key. */
const WITHOUT_KEY = /^\/(v1\/(query|auth|mcp)|share)\b/;
/** Refusals before the command itself: what an earlier try of it did is as unknown as before. */
const BEFORE_THE_COMMAND = [401, 403, 408, 429];
/** The number of failed calls that are kept; the oldest is forgotten first. */
const MAX_KEPT = 100;

/**
 * Sends every change by POST with an `Idempotency-Key`, one for each call. Where a call ends without showing whether it
 * was carried out, the next one with the same address and body is taken for its repetition and has the same key, so that
 * the api returns the first result instead of doing it twice.
 */
function idempotencyKeys(): Middleware {
  /** By address and body. */
  const ofFailed = new Map<string, string>();
  const underWay = new Map<string, { readonly call: string; readonly key: string }>();
  const settle = (id: string, isKnown: boolean): void => {
    const sent = underWay.get(id);
    underWay.delete(id);
    if (!sent || isKnown) return;
    ofFailed.set(sent.call, sent.key);
    for (const call of [...ofFailed.keys()].slice(0, -MAX_KEPT)) ofFailed.delete(call);
  };
  return {
    async onRequest({ request, schemaPath, id }) {
      if (request.method !== 'POST' || WITHOUT_KEY.test(schemaPath) || request.headers.has(HEADER)) return;
      const call = `${request.url} ${await request.clone().text()}`;
      const key = ofFailed.get(call) ?? newKey();
      ofFailed.delete(call); // another call like it, made while this one is under way, is another command
      underWay.set(id, { call, key });
      request.headers.set(HEADER, key);
    },
    onResponse({ response, id }) {
      settle(id, response.status < 500 && !BEFORE_THE_COMMAND.includes(response.status));
    },
    onError({ id }) {
      settle(id, false);
    },
  };
}

/** Not `randomUUID`, which browsers have only on pages that came by HTTPS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** Long enough for every read model to include a write; a position that is never reached delays no read after that. */
const KEPT_MS = 10_000;

/** Lets every read of the next seconds include what this client wrote: it sends the position of its newest write. */
function ownWrites(): Middleware {
  let newest: { readonly position: string; readonly until: number } | undefined;
  return {
    onRequest({ request, schemaPath }) {
      const reads = request.method === 'GET' || schemaPath === '/v1/query';
      if (newest && performance.now() > newest.until) newest = undefined;
      if (!newest || !reads || !schemaPath.startsWith('/v1/')) return;
      if (!request.headers.has('X-Min-Position')) request.headers.set('X-Min-Position', newest.position);
    },
    onResponse({ response }) {
      const position = response.headers.get('X-Log-Position');
      if (position === null || (newest && isBefore(position, newest.position))) return;
      newest = { position, until: performance.now() + KEPT_MS };
    },
  };
}

/**
 * Returns whether a position lies before another: of two writes at once, the first answer may be of the later one.
 * Positions in other forms are taken in order of arrival.
 */
const isBefore = (one: string, other: string): boolean =>
  [one, other].every((each) => /^e:\d+$/.test(each)) && BigInt(one.slice(2)) < BigInt(other.slice(2));
