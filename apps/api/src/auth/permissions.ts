import { createParamDecorator, SetMetadata, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { ANONYMOUS, type Caller as Who, type Role } from '@ledgerline/domain/access/caller';
import type { FastifyRequest } from 'fastify';

/**
 * Who passes a route's gate; what the caller may touch behind it is decided where the thing is known.
 * A scope admits keys that hold it anywhere, and people; a role admits people who have it anywhere; `person` admits
 * whoever is signed in.
 */
export type Permission = Scope | Role | 'person';

export const PERMISSIONS = 'ledgerline:permissions';

/** Anybody, also without a credential; a wrong one is refused all the same. */
export const Public = (): CustomDecorator => SetMetadata(PERMISSIONS, 'public');

/** Whoever has one of these. */
export const Requires = (first: Permission, ...others: readonly Permission[]): CustomDecorator =>
  SetMetadata(PERMISSIONS, [first, ...others]);

export type AskedRequest = FastifyRequest & { caller?: Who };

/** Who asks, as a parameter of the route. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Who => context.switchToHttp().getRequest<AskedRequest>().caller ?? ANONYMOUS,
);
