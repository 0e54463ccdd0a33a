import type { ApiKey } from '../registry/registry';
import type { KeyCaller } from './caller';

/** The caller a key makes, or undefined when the secret shown is not its live one or the key's time is over. */
export function keyCaller(key: ApiKey | undefined, secretId: string, now: Date): KeyCaller | undefined {
  if (key?.secretId !== secretId) return undefined;
  if (key.expiresAt !== null && Date.parse(key.expiresAt) <= now.getTime()) return undefined;
  const { id, organizationId, name, scopes, resources, rateLimit } = key;
  return { kind: 'key', id, organizationId, name, scopes, resources, rateLimit };
}
