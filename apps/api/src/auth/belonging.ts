import { isMemberOf, type Caller } from '@ledgerline/domain/access/caller';
import { forbidden, notFound } from '../http/problems';

/** True for members of an organization and for its keys. */
export const belongsTo = (caller: Caller, organizationId: string): boolean =>
  isMemberOf(caller, organizationId) || (caller.kind === 'key' && caller.organizationId === organizationId);

/**
 * Lets through who may do something in an organization. Who does not belong to it learns nothing of it, not even
 * whether it exists.
 * @throws Problem NOT_FOUND or FORBIDDEN
 */
export function assertMay(
  may: (caller: Caller, organizationId: string) => boolean,
  caller: Caller,
  organizationId: string,
  what = 'Organization',
): void {
  if (!belongsTo(caller, organizationId)) throw notFound(what);
  if (!may(caller, organizationId)) throw forbidden();
}
