import type { Role } from '@ledgerline/contracts/events/organization.events';
import { ANONYMOUS, belongsTo, type Caller, type KeyCaller } from './caller';
import { may } from './permissions';

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
    'manage keys': may(caller, 'api-keys:manage', organization),
    'is member': may(caller, 'members:read', organization),
    'is admin': may(caller, 'organization:update', organization),
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
