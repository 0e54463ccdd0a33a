import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { SCOPES } from '@ledgerline/contracts/events/api-key.events';
import { STATUSES } from '@ledgerline/platform/http/statuses';
import type { OpenAPIObject } from '@nestjs/swagger';
import { PERMISSIONS_EXTENSION, type RoutePermissions } from '../http/route';
import { CORRELATION_ID, IDEMPOTENCY_KEY, IF_MATCH, MIN_POSITION, withHeaders } from './headers';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Operation['responses'];

interface PermissionsExtension {
  readonly [PERMISSIONS_EXTENSION]?: RoutePermissions;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds to every route its permissions, errors and headers. */
export function describeRoutes(document: OpenAPIObject): OpenAPIObject {
  for (const [path, routes] of Object.entries(document.paths)) {
    for (const method of METHODS) if (routes[method]) routes[method] = described(routes[method], method, path);
  }
  const schemas = { ...document.components?.schemas, Problem: PROBLEM };
  return { ...document, components: { ...document.components, schemas } };
}

function described(operation: Operation, method: (typeof METHODS)[number], path: string): Operation {
  const { [PERMISSIONS_EXTENSION]: permissions, ...rest } = operation as Operation & PermissionsExtension;
  if (permissions === undefined) throw new Error(`${method} ${path} does not say who may use it.`);
  const writes = method !== 'get' && path !== QUESTION && !path.startsWith(ACCOUNTS);
  const reads = method === 'get' && permissions !== 'public';
  const codes: ErrorCode[] = ['VALIDATION_ERROR', 'AUTH_REQUIRED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL'];
  if (permissions !== 'public' || path === QUESTION || path.startsWith(ACCOUNTS)) codes.push('FORBIDDEN');
  if (path.includes('{') || writes) codes.push('NOT_FOUND');
  if (method !== 'get' && method !== 'delete') codes.push('PAYLOAD_TOO_LARGE', 'REQUEST_TIMEOUT');
  if (writes || path === SIGN_UP) codes.push('CONFLICT');
  const failures = Object.fromEntries(codes.map((code) => [STATUSES[code], failure(code)])) as Responses;
  const { description, security } = access(permissions);
  return {
    ...rest,
    description: rest.description ?? description,
    security,
    parameters: [
      ...(rest.parameters ?? []),
      ...(writes ? commandHeaders(method, path) : []),
      ...(reads ? [MIN_POSITION] : []),
    ],
    responses: withHeaders({ ...failures, ...operation.responses }, writes),
  };
}

const commandHeaders = (method: (typeof METHODS)[number], path: string) => [
  ...(method === 'post' ? [IDEMPOTENCY_KEY] : []),
  ...(path.includes('{') ? [IF_MATCH] : []),
  CORRELATION_ID,
];

/** The one POST that writes nothing. */
const QUESTION = '/v1/query';

/** Accounts are no part of the event store: they take no idempotency keys and have no log positions. */
const ACCOUNTS = '/v1/auth/';
const SIGN_UP = `${ACCOUNTS}sign-up/email`;

const KEY: Record<string, string[]>[] = [{ apiKey: [] }, { bearer: [] }];
const PERSON: Record<string, string[]>[] = [{ session: [] }];

function access(permissions: RoutePermissions): Required<Pick<Operation, 'description' | 'security'>> {
  if (permissions === 'public') return { description: 'Public.', security: [{}, ...KEY, ...PERSON] };
  const scopes = permissions.filter((each) => SCOPES.some((scope) => scope === each));
  const roles = permissions.filter((each) => each === 'owner' || each === 'admin');
  const people = roles.length > 0 ? `people who are ${roles.join(' or ')}` : 'people who are signed in';
  if (scopes.length === 0) return { description: `For ${people}.`, security: PERSON };
  return { description: `For keys with \`${scopes.join('` or `')}\`, and ${people}.`, security: [...KEY, ...PERSON] };
}

const failure = (code: ErrorCode) => ({
  description: `\`${code}\`: ${WHEN[code]}.`,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
});

const WHEN: Readonly<Record<ErrorCode, string>> = {
  AUTH_REQUIRED: 'the credential is missing or invalid',
  FORBIDDEN: 'the credential lacks the scope, the resource or the role',
  VALIDATION_ERROR: 'the request is malformed; `details` names every wrong field',
  METHOD_NOT_ALLOWED: 'the path has other methods; `Allow` lists them',
  REQUEST_TIMEOUT: 'the request did not arrive whole within 30 s',
  NOT_FOUND: 'it does not exist, or the caller may not see it',
  CONFLICT: 'taken, or changed by another request at the same time',
  PAYLOAD_TOO_LARGE: 'the body is over 1 MiB',
  RATE_LIMITED: 'too many requests; retry after `Retry-After` seconds',
  SERVICE_UNAVAILABLE: 'a store is unavailable and nothing was stored; retry after `Retry-After` seconds',
  INTERNAL: 'an internal error; it is in the log under the request id',
};

const FIELD_ERROR = {
  type: 'object',
  properties: { field: { type: 'string' }, message: { type: 'string' }, suggestion: { type: 'string' } },
  required: ['field', 'message'],
};

const PROBLEM = {
  type: 'object',
  description: 'The body of every error',
  properties: {
    success: { type: 'boolean', enum: [false] },
    error: { type: 'string', description: 'Message for people' },
    code: { type: 'string', enum: Object.keys(STATUSES) },
    requestId: { type: 'string', description: 'As in `X-Request-ID`' },
    details: { type: 'array', items: FIELD_ERROR },
  },
  required: ['success', 'error', 'code', 'requestId'],
};
