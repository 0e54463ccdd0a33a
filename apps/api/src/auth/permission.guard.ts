import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Need } from '@ledgerline/contracts/errors/error-codes';
import { SCOPES, type Scope } from '@ledgerline/contracts/events/api-key.events';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import { holdsAnywhere } from '@ledgerline/domain/access/grants';
import { authRequired, forbidden } from '../http/problems';
import { callerOf, permissionsOf, type Permission } from '../http/route';

/** Compares the permissions that a route states with those of the caller. */
@Injectable()
export class PermissionGuard implements CanActivate {
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

const neededBy = (required: readonly Permission[], caller: Caller): readonly Need[] => {
  if (required.includes('operator')) return [{ needs: 'operator', of: 'installation' }];
  const scopes = required.filter(isScope).map((needs) => ({ needs }));
  return scopes.length > 0 ? scopes : [{ needs: caller.kind === 'user' ? 'key' : 'person' }];
};

const isScope = (permission: Permission): permission is Scope => SCOPES.some((scope) => scope === permission);
