import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { SCOPES } from '@ledgerline/contracts/events/api-key.events';
import { keysOf } from '@ledgerline/contracts/json';
import type { Limits } from '@ledgerline/platform/config/settings';
import { countsAddresses, perMinute } from '../http/limits.module';
import {
  BUDGET_EXTENSION,
  COMMAND_EXTENSION,
  PERMISSIONS_EXTENSION,
  REFUSES_EXTENSION,
  usualBudget,
  type BudgetName,
  type RoutePermissions,
} from '../http/route';
import { exampleOfParameter, withExample, withExampleIds, type Components, type Operation } from './document';
import {
  FIELD_ERROR,
  HEADERS,
  RETRY_AFTER_HEADER,
  NEED,
  ON_EVERY_RESPONSE,
  PARAMETERS,
  PROBLEM,
  ETAG_HEADER,
  LOG_POSITION_HEADER,
  errorResponses,
  parameter,
  refusedWith,
} from './responses';

interface Extensions {
  readonly [PERMISSIONS_EXTENSION]?: RoutePermissions;
  readonly [BUDGET_EXTENSION]?: BudgetName;
  readonly [COMMAND_EXTENSION]?: true;
  readonly [REFUSES_EXTENSION]?: readonly ErrorCode[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof METHODS)[number];

/** Adds to every route its permissions, limit, errors, headers and examples. */
export function describeRoutes(document: OpenAPIObject, limits: Limits): OpenAPIObject {
  const named = Object.entries(document.components?.schemas ?? {});
  const schemas = Object.fromEntries(named.map(([name, schema]) => [name, withExampleIds(name, schema)]));
  for (const [path, routes] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = routes[method];
      if (!operation) continue;
      const { requestBody, ...described } = describe(operation, method, path, limits);
      routes[method] = requestBody ? { ...described, requestBody: withExample(requestBody, schemas) } : described;
    }
  }
  const components = {
    ...document.components,
    schemas: { ...schemas, Problem: PROBLEM, FieldError: FIELD_ERROR, Need: NEED },
    responses: errorResponses(),
    headers: HEADERS,
    parameters: PARAMETERS,
  };
  return { ...document, components: components as Components };
}

function describe(operation: Operation, method: Method, path: string, limits: Limits): Operation {
  const {
    [PERMISSIONS_EXTENSION]: permissions,
    [BUDGET_EXTENSION]: stated,
    [COMMAND_EXTENSION]: writes = false,
    [REFUSES_EXTENSION]: refused = [],
    ...rest
  } = operation as Operation & Extensions;
  if (permissions === undefined) throw new Error(`${method} ${path} does not say who may use it.`);
  const reads = method === 'get' && permissions !== 'public';
  const headers = [...(writes ? commandHeaders(method, path) : []), ...(reads ? (['MinPosition'] as const) : [])];
  const { description, security } = access(permissions);
  return {
    ...rest,
    description: `${rest.description ?? description} ${describeLimit(stated ?? usualBudget(permissions), limits)}`,
    security,
    parameters: [...withExamples(rest.parameters, path), ...headers.map(parameter)],
    responses: {
      ...refusedWith(codesOf({ method, path, permissions, writes, refused })),
      ...withHeaders(operation.responses, writes),
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

const commandHeaders = (method: Method, path: string) => [
  ...(method === 'post' ? (['IdempotencyKey'] as const) : []),
  ...(path.includes('{') ? (['IfMatch'] as const) : []),
  'CorrelationId' as const,
];

const withExamples = (parameters: Operation['parameters'] = [], path: string): NonNullable<Operation['parameters']> =>
  parameters.map((each) => {
    if ('$ref' in each) return each;
    const shown = each.schema ? { ...each, schema: withoutNull(each.schema) } : each;
    const example = each.in === 'header' ? undefined : exampleOfParameter(each.name, path);
    return 'example' in each || example === undefined ? shown : { ...shown, example };
  });

/** Returns a schema without null, which the rules of a field allow and nothing in an address can be. */
function withoutNull<Of extends object>(schema: Of): Of {
  const { type, enum: values } = schema as { readonly type?: unknown; readonly enum?: readonly unknown[] };
  return {
    ...schema,
    ...(Array.isArray(type) ? { type: (type as unknown[]).find((each) => each !== 'null') } : {}),
    ...(values ? { enum: values.filter((each) => each !== null) } : {}),
  };
}

function withHeaders(responses: Operation['responses'], writes: boolean): Operation['responses'] {
  const headersOf = (status: string) => ({
    ...ON_EVERY_RESPONSE,
    ...(status === '429' || status === '503' ? RETRY_AFTER_HEADER : {}),
    ...(writes && status.startsWith('2') ? LOG_POSITION_HEADER : {}),
    ...('304' in responses && (status === '200' || status === '304') ? ETAG_HEADER : {}),
  });
  const entries = Object.entries(responses).map(([status, response]) => [
    status,
    response && !('$ref' in response)
      ? { ...response, headers: { ...headersOf(status), ...response.headers } }
      : response,
  ]);
  return Object.fromEntries(entries) as Operation['responses'];
}

interface Refused {
  readonly method: Method;
  readonly path: string;
  readonly permissions: RoutePermissions;
  readonly writes: boolean;
  readonly refused: readonly ErrorCode[];
}

function codesOf({ method, path, permissions, writes, refused }: Refused): readonly ErrorCode[] {
  const hasBody = method !== 'get' && method !== 'delete';
  const isPossible: Readonly<Partial<Record<ErrorCode, boolean>>> = {
    VALIDATION_ERROR: true,
    AUTH_REQUIRED: true,
    // with a session, also to change something from a page of another origin
    FORBIDDEN: permissions !== 'public' || method !== 'get',
    NOT_FOUND: writes || path.includes('{'),
    REQUEST_TIMEOUT: hasBody,
    CONFLICT: writes,
    PAYLOAD_TOO_LARGE: hasBody,
    RATE_LIMITED: true,
    INTERNAL: true,
    SERVICE_UNAVAILABLE: true,
  };
  return keysOf(isPossible).filter((code) => isPossible[code] || refused.includes(code));
}

/** The schemes of OpenAPI with what the caller must have: OpenAPI 3.1 allows roles and scopes with every scheme. */
function access(permissions: RoutePermissions): Required<Pick<Operation, 'description' | 'security'>> {
  if (permissions === 'public')
    return { description: 'Public.', security: [{}, { apiKey: [] }, { bearer: [] }, { session: [] }] };
  if (permissions.includes('agent'))
    return {
      description: 'For keys of any scope, and clients that a person lets act for them.',
      security: [{ apiKey: [] }, { bearer: [] }],
    };
  if (permissions.includes('operator'))
    return {
      description: 'For operators of the installation who are signed in.',
      security: [{ session: ['operator'] }],
    };
  const scopes = permissions.filter((each) => SCOPES.some((scope) => scope === each));
  const roles = permissions.filter((each) => each === 'owner' || each === 'admin');
  const people = roles.length > 0 ? `people who are ${roles.join(' or ')}` : 'people who are signed in';
  const session = roles.length > 0 ? roles.map((role) => ({ session: [role] })) : [{ session: [] }];
  if (scopes.length === 0) return { description: `For ${people}.`, security: session };
  return {
    description: `For keys with \`${scopes.join('` or `')}\`, and ${people}.`,
    security: [
      ...scopes.map((scope) => ({ apiKey: [scope] })),
      ...scopes.map((scope) => ({ bearer: [scope] })),
      ...session,
    ],
  };
}

/** Returns the number of requests of a route's budget a caller may make, in words. */
function describeLimit(budget: BudgetName, limits: Limits): string {
  if (budget === 'flags') return describeFlagLimit(limits);
  const most = `${perMinute(budget, limits)} requests a minute`;
  if (countsAddresses(budget)) return `Limit: ${most} for each address, with all routes that have this limit.`;
  const anonymous = perMinute(budget, limits, true);
  const others = budget === 'query' ? `, ${anonymous} for each address without a credential` : '';
  return `Limit: ${most} for each key or person${others}; with all routes that have this limit.`;
}

const describeFlagLimit = (limits: Limits): string =>
  `${describeLimit('public', limits)} A key of the website's organization has ${perMinute('flags', limits)} for all routes of flags.`;
