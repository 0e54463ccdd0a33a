import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Module, type CanActivate, type ExecutionContext, type OnModuleInit } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { MissingPermission } from '@ledgerline/contracts/errors/error-codes';
import { SCOPES, type Scope } from '@ledgerline/contracts/events/api-key.events';
import { ANONYMOUS, type Caller, holdsAnywhere } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { LimitsModule, RequestLimitGuard } from '../../http/limits.module';
import { awaitedPosition, MAX_WAIT_MS } from '../../http/log-position';
import { isForeignChange } from '../../http/origins';
import { authRequired, forbidden, invalid } from '../../http/problems';
import {
  acceptsTokens,
  callerOf,
  hasOwnCredential,
  permissionsOf,
  Routes,
  type CallerRequest,
  type Permission,
} from '../../http/route';
import { SETTINGS } from '../../tokens';
import { AccountsModule } from '../accounts/accounts.module';
import { AccessTokens, accessTokenIn } from './access-tokens';
import { Authenticator } from './authenticator';

/** Puts the caller on the request; a wrong credential ends it here, on public routes too. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RequestLimitGuard,
    private readonly tokens: AccessTokens,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly heartbeat: Heartbeat,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const caller = await this.heartbeat.whileAnswering(() => this.callerOf(request.headers, context.getClass()));
    if (!caller) {
      await this.limits.count('failed', request, context.switchToHttp().getResponse<FastifyReply>());
      throw authRequired();
    }
    request.caller = caller;
    if (caller.kind === 'user' && isForeignChange(request, this.settings)) throw forbidden();
    return true;
  }

  private async callerOf(
    headers: IncomingHttpHeaders,
    controller: ReturnType<ExecutionContext['getClass']> | null,
  ): Promise<Caller | undefined> {
    if (hasOwnCredential(controller)) return ANONYMOUS;
    const token = acceptsTokens(controller) ? accessTokenIn(headers) : undefined;
    return token === undefined ? this.authenticator.callerOf(headers) : this.tokens.callerOf(token);
  }
}

/**
 * Waits until the registry includes the X-Min-Position of a request, before permissions and records are read from it;
 * for callers with a credential only. A request is answered also when that takes too long; queries and lists of links
 * report it.
 */
@Injectable()
class MinPositionGuard implements CanActivate {
  constructor(
    private readonly live: LiveRegistry,
    private readonly registry: Registry,
  ) {}

  /** @throws Problem VALIDATION_ERROR for a malformed header */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<CallerRequest>();
    const { caller = ANONYMOUS } = request;
    if (caller.kind === 'anonymous') return true;
    const decided = awaitedPosition(request)?.decided;
    if (decided === undefined) return true;
    await this.live.hasReached(decided, MAX_WAIT_MS);
    if (caller.kind === 'user') request.caller = { ...caller, roles: this.registry.rolesOf(caller.id) };
    return true;
  }
}

/** Compares the permissions that a route states with those of the caller. */
@Injectable()
class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const required = permissionsOf(context.getHandler(), context.getClass());
    if (required === 'public') return true;
    const caller = callerOf(context) ?? ANONYMOUS;
    if (caller.kind === 'anonymous') throw authRequired();
    if (!required?.some((permission) => admits(permission, caller)))
      throw forbidden(...neededBy(required ?? [], caller));
    return true;
  }
}

/** People pass: their role is compared where the organization is known, so that a foreign id is not found by anybody. */
function admits(permission: Permission, caller: Caller): boolean {
  if (permission === 'operator') return caller.kind === 'user' && caller.isOperator === true;
  if (permission === 'agent') return caller.kind !== 'user';
  if (caller.kind === 'key' || caller.kind === 'grant') return isScope(permission) && holdsAnywhere(caller, permission);
  return caller.kind === 'user';
}

const neededBy = (required: readonly Permission[], caller: Caller): readonly MissingPermission[] => {
  if (required.includes('operator')) return [{ needs: 'operator', of: 'installation' }];
  const scopes = required.filter(isScope).map((needs) => ({ needs }));
  return scopes.length > 0 ? scopes : [{ needs: caller.kind === 'user' ? 'key' : 'person' }];
};

const isScope = (permission: Permission): permission is Scope => SCOPES.some((scope) => scope === permission);

/** Refuses the fields of a body where a route takes none, as DTOs refuse those that they do not describe. */
@Injectable()
class NoBodyGuard implements CanActivate {
  /** By handler. */
  private readonly readers = new WeakMap<object, boolean>();

  canActivate(context: ExecutionContext): boolean {
    const { body } = context.switchToHttp().getRequest<FastifyRequest>();
    if (typeof body !== 'object' || body === null || this.readsBody(context)) return true;
    const details = Object.keys(body).map((field) => ({ field, message: 'Is not a known field.' }));
    if (details.length > 0) throw invalid(details);
    return true;
  }

  private readsBody(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const reads = this.readers.get(handler) ?? readsBody(context.getClass(), handler);
    this.readers.set(handler, reads);
    return reads;
  }
}

/** Returns whether the route has a parameter for the body, or for the whole request. */
function readsBody(controller: object, { name }: { readonly name: string }): boolean {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as object;
  return Object.keys(parameters).some((key) => READERS.includes(Number(key.split(':')[0])));
}

const READERS: readonly number[] = [RouteParamtypes.BODY, RouteParamtypes.RAW_BODY, RouteParamtypes.REQUEST];

/** Refuses to start while a route states neither `@Public()` nor `@Requires(…)`. */
@Injectable()
export class StatedPermissions implements OnModuleInit {
  constructor(private readonly routes: Routes) {}

  onModuleInit(): void {
    const silent = this.routes.all().filter(({ controller, method }) => !permissionsOf(method, controller));
    const names = silent.map(({ controller, method }) => `${controller.name}.${method.name}`);
    if (names.length > 0) throw new Error(`These routes do not say who may use them: ${names.join(', ')}`);
  }
}

/** Authentication, rate limit, position and permission: in this order, before every route. */
@Module({
  imports: [AccountsModule, LimitsModule, DiscoveryModule],
  providers: [
    AccessTokens,
    Authenticator,
    Routes,
    StatedPermissions,
    {
      provide: SecretStore,
      inject: [DataSource, SETTINGS],
      useFactory: (source: DataSource, { keyPepper }: Settings) => new SecretStore(source, keyPepper),
    },
    AuthenticationGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: RequestLimitGuard },
    { provide: APP_GUARD, useClass: MinPositionGuard },
    { provide: APP_GUARD, useClass: PermissionGuard },
    { provide: APP_GUARD, useClass: NoBodyGuard },
  ],
  exports: [AccessTokens, AuthenticationGuard, Authenticator, LimitsModule, Routes, SecretStore],
})
export class AuthModule {}
