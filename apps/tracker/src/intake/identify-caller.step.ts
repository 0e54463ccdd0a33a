import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { holdsAnywhere } from '@ledgerline/domain/access/grants';
import type { Delivery } from './delivery';
import type { Tools } from './tools';

/** Who vouches for the request: the key it came with, or nobody. */
export function identifyCaller(delivery: Delivery, { registry }: Pick<Tools, 'registry'>): Promise<void> | undefined {
  const { secret } = delivery.request;
  return secret === null ? undefined : checkKey(delivery, secret, registry);
}

async function checkKey(delivery: Delivery, secret: string, registry: Tools['registry']): Promise<void> {
  const caller = await registry.caller(secret);
  if (caller === undefined) throw new Problem('AUTH_REQUIRED', 'Authentication required');
  if (!holdsAnywhere(caller, 'track:events')) throw new Problem('FORBIDDEN', 'Insufficient permissions');
  delivery.caller = caller;
}
