import { type Action, type Caller, type Resource, belongsTo, may, neededFor } from '@ledgerline/domain/access/caller';
import { forbidden, notFound } from '../http/problems';

/**
 * Refuses a caller who may not do something. For those outside of the organization, the answer does not even show
 * whether the resource exists.
 * @throws Problem NOT_FOUND or FORBIDDEN
 */
export function assertMay(caller: Caller, action: Action, resource: Resource, name = 'Organization'): void {
  assertBelongs(caller, resource.organizationId, name);
  const of = resource.websiteId ? 'website' : 'organization';
  if (!may(caller, action, resource)) throw forbidden({ needs: neededFor(action, caller), of });
}

/** @throws Problem NOT_FOUND unless the caller is a member or a key of the organization */
export function assertBelongs(caller: Caller, organizationId: string, name = 'Organization'): void {
  if (!belongsTo(caller, organizationId)) throw notFound(name);
}
