import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { holdsAnywhere } from '@ledgerline/domain/access/grants';
import type { IntakeContext, IntakeDeps } from './intake-context';

/** Finds the API key the request came with, if any. */
export function identifyCaller(
  context: IntakeContext,
  { registry }: Pick<IntakeDeps, 'registry'>,
): Promise<void> | undefined {
  const { secret } = context.request;
  return secret === null ? undefined : checkKey(context, secret, registry);
}

async function checkKey(context: IntakeContext, secret: string, registry: IntakeDeps['registry']): Promise<void> {
  const caller = await registry.caller(secret);
  if (caller === undefined) throw new Problem('AUTH_REQUIRED', 'Authentication required');
  if (!holdsAnywhere(caller, 'track:events')) throw new Problem('FORBIDDEN', 'Insufficient permissions');
  context.caller = caller;
}
