import { belongsTo, type Caller } from '@ledgerline/domain/access/caller';
import { forbidden, notFound } from '../http/problems';

/**
 * Refuses a caller who may not do something in an organization. For those who do not belong to it, the answer does not
 * even show whether it exists.
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
