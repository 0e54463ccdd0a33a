import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { ANONYMOUS, type Caller as Who } from '@ledgerline/domain/access/caller';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';

/**
 * Who passes a route's gate; what the caller may touch behind it is decided where the thing is known.
 * A scope admits keys that hold it anywhere, and people; a role admits people who have it anywhere; `person` admits
 * whoever is signed in.
 */
export type Permission = Scope | Role | 'person';

export const PERMISSIONS = 'ledgerline:permissions';

/** What a route states, in its description; replaced there by words. */
export const STATED = 'x-permissions';
export type Stated = 'public' | readonly Permission[];

/** Anybody, also without a credential; a wrong one is refused all the same. */
export const Public = () => stated('public');

/** Whoever has one of these. */
export const Requires = (first: Permission, ...others: readonly Permission[]) => stated([first, ...others]);

const stated = (permissions: Stated) =>
  applyDecorators(SetMetadata(PERMISSIONS, permissions), ApiExtension(STATED, permissions));

export type AskedRequest = FastifyRequest & { caller?: Who };

/** Who asks, as a parameter of the route. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Who => context.switchToHttp().getRequest<AskedRequest>().caller ?? ANONYMOUS,
);
