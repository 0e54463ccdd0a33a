import type { Role } from '@ledgerline/contracts/events/organization.events';
import type { ApiKey } from '@ledgerline/contracts/records';
import { plainKey } from '../api-keys/api-key.decider';
import {
  ANONYMOUS,
  type Caller,
  type Grants,
  type KeyCaller,
  belongsTo,
  grantsInclude,
  holdsAnywhere,
  keyCaller,
  may,
} from './caller';

describe('a caller', () => {
  it('who is anonymous may nothing', () => expect(allowed(ANONYMOUS)).toEqual([]));

  it('with a key of another organization may nothing here', () =>
    expect(allowed(key({ scopes: ['read:data', 'write:data', 'track:events'], organizationId: 'org_2' }))).toEqual([]));

  it('with a key may what its scopes say, but never manage keys', () => {
    expect(allowed(key({ scopes: ['read:data'] }))).toEqual(['read website', 'read links']);
    expect(allowed(key({ scopes: ['write:data'] }))).toEqual(['register', 'write links']);
    expect(allowed(key({ scopes: ['track:events'] }))).toEqual(['track website', 'track organization']);
    expect(allowed(key({ scopes: ['manage:flags', 'read:audit'] }))).toEqual([]);
  });

  it('with a key of one website may nothing of links or the whole organization', () => {
    const scopes = ['read:data', 'write:data', 'track:events'] as const;
    expect(allowed(key({ scopes, resources: { 'website:site_1': [] } }))).toEqual(['read website', 'track website']);
    expect(allowed(key({ scopes, resources: { 'website:site_9': [] } }))).toEqual([]);
  });

  it('who is signed in may what their role says', () => {
    const member = ['read website', 'read links', 'write links'];
    expect(allowed(user('member')).filter((what) => !what.startsWith('is '))).toEqual(member);
    for (const role of ['admin', 'owner'] as const)
      expect(allowed(user(role))).toEqual(expect.arrayContaining([...member, 'register', 'manage keys']));
  });

  it('is told apart as member and admin, which an owner is too', () => {
    const roles = (caller: Caller) => allowed(caller).filter((what) => what.startsWith('is '));
    expect(roles(user('member'))).toEqual(['is member']);
    expect(roles(user('admin'))).toEqual(['is member', 'is admin']);
    expect(roles(user('owner'))).toEqual(['is member', 'is admin']);
    expect(roles({ kind: 'user', id: 'usr_1', roles: new Map([['org_2', 'owner']]) })).toEqual([]);
  });

  it('belongs to an organization as its member or its key', () => {
    expect([user('member'), key({}), ANONYMOUS].map((caller) => belongsTo(caller, 'org_1'))).toEqual([
      true,
      true,
      false,
    ]);
    expect([user('owner'), key({})].map((caller) => belongsTo(caller, 'org_2'))).toEqual([false, false]);
  });
});

const organization = { organizationId: 'org_1' };
const website = { ...organization, websiteId: 'site_1' };

const allowed = (caller: Caller): string[] =>
  Object.entries({
    'read website': may(caller, 'websites:read', website),
    'read links': may(caller, 'links:read', organization),
    register: may(caller, 'websites:write', organization),
    'write links': may(caller, 'links:write', organization),
    'track website': may(caller, 'events:track', website),
    'track organization': may(caller, 'events:track', organization),
    'manage keys': may(caller, 'apiKeys:write', organization),
    'is member': may(caller, 'members:read', organization),
    'is admin': may(caller, 'organizations:write', organization),
  })
    .filter(([, may]) => may)
    .map(([what]) => what);

const key = (grants: Partial<KeyCaller>): Caller => ({
  kind: 'key',
  id: 'key_1',
  organizationId: 'org_1',
  name: 'A key',
  scopes: [],
  resources: null,
  rateLimit: null,
  ...grants,
});

const user = (role: Role): Caller => ({ kind: 'user', id: 'usr_1', roles: new Map([['org_1', role]]) });

describe('the grants of a key', () => {
  it('cover everything when no resources are listed', () => {
    expect(grantsInclude(everything, 'read:data', null)).toBe(true);
    expect(grantsInclude(everything, 'read:data', 'website:site_1')).toBe(true);
  });

  it('hold no scope that was not given', () => {
    expect(grantsInclude(everything, 'write:data', null)).toBe(false);
    expect(holdsAnywhere(everything, 'write:data')).toBe(false);
  });

  it('cover exactly the listed website and nothing global', () => {
    expect(grantsInclude(oneWebsite, 'read:data', 'website:site_1')).toBe(true);
    expect(grantsInclude(oneWebsite, 'read:data', 'website:site_2')).toBe(false);
    expect(grantsInclude(oneWebsite, 'read:data', null)).toBe(false);
  });

  it('add the scopes of a resource to those of the top level', () => {
    const grants: Grants = { scopes: ['read:data'], resources: { 'website:site_1': ['track:events'] } };
    expect(grantsInclude(grants, 'read:data', 'website:site_1')).toBe(true);
    expect(grantsInclude(grants, 'track:events', 'website:site_1')).toBe(true);
    expect(grantsInclude(grants, 'track:events', 'website:site_2')).toBe(false);
  });

  it('reach every website through a listed global', () => {
    const grants: Grants = { scopes: [], resources: { global: ['read:data'], 'website:site_1': ['track:events'] } };
    expect(grantsInclude(grants, 'read:data', null)).toBe(true);
    expect(grantsInclude(grants, 'read:data', 'website:site_2')).toBe(true);
    expect(grantsInclude(grants, 'track:events', null)).toBe(false);
  });

  it('are nothing when the list is empty', () => {
    const grants: Grants = { scopes: ['read:data'], resources: {} };
    expect(grantsInclude(grants, 'read:data', null)).toBe(false);
    expect(holdsAnywhere(grants, 'read:data')).toBe(false);
  });

  it('take no name from the prototype of the list', () => {
    expect(grantsInclude({ scopes: ['read:data'], resources: {} }, 'read:data', 'constructor' as 'website:x')).toBe(
      false,
    );
  });
});

const everything: Grants = { scopes: ['read:data'], resources: null };
const oneWebsite: Grants = { scopes: ['read:data'], resources: { 'website:site_1': [] } };

describe('the caller of a key', () => {
  it('is the key with its grants while its secret is the live one', () =>
    expect(keyCaller(stored, 'secret-2', now)).toEqual({
      kind: 'key',
      id: 'key_1',
      organizationId: 'org_1',
      name: 'Server',
      scopes: ['read:data'],
      resources: null,
      rateLimit: null,
    }));

  it('is nobody for a secret that is not live, or for a key that does not exist', () => {
    expect(keyCaller(stored, 'secret-1', now)).toBeUndefined();
    expect(keyCaller(undefined, 'secret-2', now)).toBeUndefined();
  });

  it('is nobody while the key is disabled, and once it is revoked', () => {
    expect(keyCaller({ ...stored, enabled: false }, 'secret-2', now)).toBeUndefined();
    expect(keyCaller({ ...stored, revokedAt: now }, 'secret-2', now)).toBeUndefined();
  });

  it('is nobody from the very moment the key expires', () => {
    const expiring = (expiresAt: string) => keyCaller({ ...stored, expiresAt }, 'secret-2', now);
    expect(expiring('2026-01-01T00:00:00.001Z')).toBeDefined();
    expect(expiring('2026-01-01T00:00:00.000Z')).toBeUndefined();
  });
});

const now = new Date('2026-01-01T00:00:00Z');

const stored: ApiKey = {
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
