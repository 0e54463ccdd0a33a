import {
  applyDecorators,
  createParamDecorator,
  Injectable,
  RequestMethod,
  SetMetadata,
  type ExecutionContext,
  type OnModuleInit,
} from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest, FastifyReply } from 'fastify';
import type { ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { isObject } from '@ledgerline/contracts/json';
import {
  ANONYMOUS,
  type Caller,
  type Action,
  type AccessTarget,
  belongsTo,
  may,
  neededFor,
} from '@ledgerline/domain/access/caller';
import { forbidden, notFound } from './problems';

/**
 * The callers that a route lets in; what they may touch is decided where the thing is known. A scope admits keys that
 * hold it anywhere, and people; a role or `person` admits people only. Roles are compared where the organization is
 * known. `operator` admits people who run the installation, and `agent` whatever sends a credential in a header, which
 * a browser does not do by itself.
 */
export type Permission = Scope | Role | 'person' | 'operator' | 'agent';
export type RoutePermissions = 'public' | readonly Permission[];

/**
 * The budget that a request is counted against. A route states it with `@Budget(…)`; the default is `api`, or `public`.
 */
export type BudgetName = 'query' | 'api' | 'public' | 'probes' | 'flags' | 'accounts' | 'export';

export type CallerRequest = FastifyRequest & { caller?: Caller };

const PERMISSIONS = 'ledgerline:permissions';
const BUDGET = 'ledgerline:budget';
const TOKENS = 'ledgerline:tokens';
const OWN_CREDENTIAL = 'ledgerline:own-credential';

/** The OpenAPI extensions that carry what a route states until the document describes it in words. */
export const PERMISSIONS_EXTENSION = 'x-permissions';
export const BUDGET_EXTENSION = 'x-budget';
export const COMMAND_EXTENSION = 'x-command';
export const REFUSES_EXTENSION = 'x-refuses';

/** Open to all, also without a credential; a wrong one is refused all the same. */
export const Public = () => permit('public');

/** Open to callers with one of these. */
export const Requires = (first: Permission, ...others: readonly Permission[]) => permit([first, ...others]);

/** The route compares METRICS_TOKEN itself, if with anything, and neither keys nor sessions are looked at: no store is asked. */
export const OwnCredential = () => SetMetadata(OWN_CREDENTIAL, true);

/** Opens a route to clients with an access token, which every other route refuses: tokens are for one resource. */
export const AcceptsTokens = () => SetMetadata(TOKENS, true);

export const Budget = (name: BudgetName) =>
  applyDecorators(SetMetadata(BUDGET, name), ApiExtension(BUDGET_EXTENSION, name));

/** States what a route refuses beside what all with its method and permissions do. */
export const Refuses = (...codes: readonly ErrorCode[]) => ApiExtension(REFUSES_EXTENSION, codes);

/** The caller of the request, as a parameter of the route. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller => callerOf(context) ?? ANONYMOUS,
);

/**
 * A parameter of the route that says whether only the headers of the answer are wanted, as a parameter of the route.
 */
export const IsHead = createParamDecorator(
  (_: unknown, context: ExecutionContext): boolean =>
    context.switchToHttp().getRequest<FastifyRequest>().method === 'HEAD',
);

/** The media type that the caller prefers of those that the route answers with, as a parameter of the route. */
export const PreferredType = createParamDecorator((types: readonly string[], context: ExecutionContext): string =>
  preferredType(context.switchToHttp().getRequest<FastifyRequest>().headers.accept, types),
);

/** By weight; between equal ones that which is named more closely, then earlier. The first type where none is accepted. */
export function preferredType(accept = '', types: readonly string[]): string {
  const ranges = accept.split(',').map(mediaRange);
  const accepted = types.flatMap((type) => {
    const [closest] = ranges
      .map((range, place) => ({ type, place, ...range }))
      .filter(({ name }) => name === type || name === '*/*' || name === `${type.split('/')[0]}/*`)
      .sort((a, b) => a.wildcards - b.wildcards);
    return closest && closest.weight > 0 ? [closest] : [];
  });
  const [best] = accepted.sort((a, b) => b.weight - a.weight || a.wildcards - b.wildcards || a.place - b.place);
  return best?.type ?? types[0] ?? '';
}

function mediaRange(text: string) {
  const [name = '', ...parameters] = text.toLowerCase().split(';');
  const [weight = '1'] = parameters.flatMap((each) => /^\s*q=(.*)$/.exec(each)?.[1] ?? []);
  return { name: name.trim(), weight: Number(weight) || 0, wildcards: name.split('*').length };
}

export const callerOf = (context: ExecutionContext): Caller | undefined =>
  context.switchToHttp().getRequest<CallerRequest>().caller;

/** A method of a controller, or the controller. */
type Target = ReturnType<ExecutionContext['getHandler'] | ExecutionContext['getClass']>;

/** Returns what a route states, or its controller for all of its routes. */
export const permissionsOf = (method: Target, controller: Target): RoutePermissions | undefined =>
  new Reflector().getAllAndOverride(PERMISSIONS, [method, controller]);

/** False where no route was found. */
export const hasOwnCredential = (controller: Target | null | undefined): boolean =>
  !!controller && new Reflector().get<boolean | undefined>(OWN_CREDENTIAL, controller) === true;

/** False where no route was found. */
export const acceptsTokens = (controller: Target | null): boolean =>
  controller !== null && new Reflector().get<boolean | undefined>(TOKENS, controller) === true;

export const budgetOf = (method: Target, controller: Target): BudgetName =>
  new Reflector().getAllAndOverride<BudgetName | undefined>(BUDGET, [method, controller]) ??
  usualBudget(permissionsOf(method, controller));

/** Returns the budget of a route that states none. */
export const usualBudget = (permissions: RoutePermissions | undefined): BudgetName =>
  permissions === 'public' ? 'public' : 'api';

const permit = (permissions: RoutePermissions) =>
  applyDecorators(SetMetadata(PERMISSIONS, permissions), ApiExtension(PERMISSIONS_EXTENSION, permissions));

/**
 * Refuses a caller who may not do something. For those outside of the organization, the answer does not even show
 * whether the resource exists.
 * @throws Problem NOT_FOUND or FORBIDDEN
 */
export function assertMay(caller: Caller, action: Action, resource: AccessTarget, name = 'Organization'): void {
  assertBelongs(caller, resource.organizationId, name);
  const of = resource.websiteId ? 'website' : 'organization';
  if (!may(caller, action, resource)) throw forbidden({ needs: neededFor(action, caller), of });
}

/** @throws Problem NOT_FOUND unless the caller is a member or a key of the organization */
export function assertBelongs(caller: Caller, organizationId: string, name = 'Organization'): void {
  if (!belongsTo(caller, organizationId)) throw notFound(name);
}

/** Names the website of a request for flags, as providers of OpenFeature can set headers but not parameters. */
export const CLIENT_ID_HEADER = 'databuddy-client-id';

/** The parameter of the query string that names the client. */
export const CLIENT_ID = 'clientId';

/** Every website that a request for flags names, also wrongly; a request that is not parsed has no query. */
export function clientIdsOf({
  headers,
  query,
}: Partial<Pick<FastifyRequest, 'headers' | 'query'>>): readonly unknown[] {
  const named = [headers?.[CLIENT_ID_HEADER], isObject(query) ? query[CLIENT_ID] : undefined];
  return named.filter((id) => id !== undefined);
}

type Method = (...args: unknown[]) => unknown;

/** A route of the api: what states its permission and budget. */
interface RouteTarget {
  /** As Fastify has it: `GET /v1/links/:id`. */
  readonly name: string;
  readonly controller: new () => unknown;
  readonly method: Method;
}

/** Every route of the api. */
@Injectable()
export class Routes implements OnModuleInit {
  private targets = new Map<string, RouteTarget>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  onModuleInit(): void {
    this.targets = new Map(this.all().map((target) => [target.name, target]));
  }

  /** The target of a request, by what Fastify has matched. */
  find(method: string, url: string | undefined): RouteTarget | undefined {
    const verb = method === 'HEAD' ? 'GET' : method;
    return this.targets.get(`${verb} ${url ?? ''}`) ?? this.targets.get(`ALL ${url ?? ''}`);
  }

  all(): readonly RouteTarget[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const controller = metatype as new () => unknown;
      const methods: unknown = instance;
      if (!isObject(methods)) return [];
      return this.scanner
        .getAllMethodNames(Object.getPrototypeOf(methods) as object)
        .map((name) => methods[name])
        .filter(isRoute)
        .flatMap((method) => targetsOf(controller, method));
    });
  }
}

const isRoute = (method: unknown): method is Method =>
  typeof method === 'function' && Reflect.hasMetadata(PATH_METADATA, method);

function targetsOf(controller: new () => unknown, method: Method): RouteTarget[] {
  const verb = RequestMethod[Reflect.getMetadata(METHOD_METADATA, method) as RequestMethod];
  return pathsOf(controller).flatMap((start) =>
    pathsOf(method).map((rest) => ({ name: `${verb} ${joined(start, rest)}`, controller, method })),
  );
}

const pathsOf = (target: object): readonly string[] =>
  [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();

const joined = (...parts: readonly string[]): string =>
  `/${parts
    .flatMap((part) => part.split('/'))
    .filter(Boolean)
    .join('/')}`;

/** Aborted when the client goes away before it has its answer. */
export function clientDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => {
    if (!raw.writableEnded) gone.abort();
  });
  return gone.signal;
}
