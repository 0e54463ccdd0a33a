import type { ApiKey } from '@ledgerline/contracts/records';
import type { KeyCaller } from './caller';

/** The caller of a key; undefined for a replaced secret and for a disabled, revoked or expired key. */
export function keyCaller(key: ApiKey | undefined, secretId: string, now: Date): KeyCaller | undefined {
  if (key?.secretId !== secretId || !key.enabled || key.revokedAt !== null) return undefined;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return undefined;
  const { id, organizationId, name, scopes, resources, rateLimit } = key;
  return { kind: 'key', id, organizationId, name, scopes, resources, rateLimit };
}
