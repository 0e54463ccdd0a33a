import type { ApiKey } from '@ledgerline/contracts/records';
import { plainKey } from '../api-keys/plain-key';
import { keyCaller } from './key-caller';

describe('the caller of a key', () => {
  it('is the key with its grants while its secret is the live one', () =>
    expect(keyCaller(key, 'secret-2', now)).toEqual({
      kind: 'key',
      id: 'key_1',
      organizationId: 'org_1',
      name: 'Server',
      scopes: ['read:data'],
      resources: null,
      rateLimit: null,
    }));

  it('is nobody for a secret that is not live, or for a key that does not exist', () => {
    expect(keyCaller(key, 'secret-1', now)).toBeUndefined();
    expect(keyCaller(undefined, 'secret-2', now)).toBeUndefined();
  });

  it('is nobody while the key is disabled, and once it is revoked', () => {
    expect(keyCaller({ ...key, enabled: false }, 'secret-2', now)).toBeUndefined();
    expect(keyCaller({ ...key, revokedAt: now }, 'secret-2', now)).toBeUndefined();
  });

  it('is nobody from the very moment the key expires', () => {
    const expiring = (expiresAt: string) => keyCaller({ ...key, expiresAt }, 'secret-2', now);
    expect(expiring('2026-01-01T00:00:00.001Z')).toBeDefined();
    expect(expiring('2026-01-01T00:00:00.000Z')).toBeUndefined();
  });
});

const now = new Date('2026-01-01T00:00:00Z');

const key: ApiKey = {
  id: 'key_1',
  organizationId: 'org_1',
  name: 'Server',
  ...plainKey,
  scopes: ['read:data'],
  secretId: 'secret-2',
  start: 'svc_abcd',
  enabled: true,
  revokedAt: null,
  createdAt: now,
  updatedAt: now,
  revision: 0,
};
