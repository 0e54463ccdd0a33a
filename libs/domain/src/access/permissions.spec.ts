import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { ROLES, type Role } from '@ledgerline/contracts/events/organization.events';
import {
  ANONYMOUS,
  type Action,
  type Caller,
  type KeyCaller,
  type AccessTarget,
  includesRole,
  may,
  roleMay,
} from './caller';

describe('what may be done', () => {
  it('by a member', () => expect(allowed(person('member'))).toEqual(OF_MEMBERS));
  it('by an admin', () => expect(allowed(person('admin'))).toEqual([...OF_MEMBERS, ...OF_ADMINS].sort()));
  it('by an owner', () => expect(allowed(person('owner'))).toEqual([...OF_MEMBERS, ...OF_ADMINS, ...OF_OWNERS].sort()));

  it('by nobody without a credential, a membership or a key of the organization', () => {
    expect(allowed(ANONYMOUS)).toEqual([]);
    expect(allowed({ kind: 'user', id: 'usr_1', roles: new Map([['org_2', 'owner']]) })).toEqual([]);
    expect(allowed(key({ scopes: ALL_SCOPES, organizationId: 'org_2' }))).toEqual([]);
  });

  it.each<[Scope, Action[]]>([
    ['read:data', ['annotations:read', 'destinations:list', 'goals:read', 'links:read', 'websites:read']],
    ['write:data', ['annotations:write', 'goals:write', 'links:write', 'statusPages:write', 'websites:write']],
    ['track:events', ['events:track']],
    ['manage:flags', ['flags:read', 'flags:write']],
    ['read:audit', ['audit:read']],
  ])('by a key with the scope %s', (scope, actions) => expect(allowed(key({ scopes: [scope] }))).toEqual(actions));

  it('by a key of one website: what needs no global access, to that website alone', () => {
    const ofOne = key({ scopes: ALL_SCOPES, resources: { 'website:site_1': [] } });
    expect(allowed(ofOne)).toEqual([]);
    expect(allowed(ofOne, { organizationId: 'org_1', websiteId: 'site_2' })).toEqual([]);
    expect(allowed(ofOne, { organizationId: 'org_1', websiteId: 'site_1' })).toContain('websites:read');
  });

  it('by a key never: what only people decide', () => {
    const people: Action[] = [
      'apiKeys:write',
      'destinations:test',
      'erasures:request',
      'members:change-role',
      'members:invite',
      'members:read',
      'members:remove',
      'organization:delete',
      'organizations:read',
      'organizations:write',
      'people:export',
      'reports:read',
      'reports:write',
      'retention:change',
    ];
    expect(ACTIONS.filter((action) => !may(key({ scopes: ALL_SCOPES }), action, inside))).toEqual(people);
  });

  it('is the same by a role alone', () => {
    for (const role of ROLES)
      for (const action of ACTIONS) expect(roleMay(role, action)).toBe(may(person(role), action, inside));
    expect(ACTIONS.some((action) => roleMay(undefined, action))).toBe(false);
  });

  it('gives or takes away no role above the own', () => {
    const granted = (held: Role) => ROLES.filter((role) => includesRole(held, role));
    expect(ROLES.map(granted)).toEqual([['member'], ['member', 'admin'], ['member', 'admin', 'owner']]);
  });
});

const inside: AccessTarget = { organizationId: 'org_1' };
const ALL_SCOPES: Scope[] = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'];

const OF_MEMBERS: Action[] = [
  'annotations:read',
  'annotations:write',
  'destinations:list',
  'flags:read',
  'goals:read',
  'goals:write',
  'links:read',
  'links:write',
  'members:read',
  'organizations:read',
  'websites:read',
];
const OF_ADMINS: Action[] = [
  'apiKeys:write',
  'audit:read',
  'destinations:test',
  'flags:write',
  'members:invite',
  'members:remove',
  'organizations:write',
  'reports:read',
  'reports:write',
  'statusPages:write',
  'websites:write',
];
const OF_OWNERS: Action[] = [
  'erasures:request',
  'members:change-role',
  'organization:delete',
  'people:export',
  'retention:change',
];
const ACTIONS: Action[] = [...OF_MEMBERS, ...OF_ADMINS, ...OF_OWNERS, 'events:track' as const].sort();

const allowed = (caller: Caller, resource = inside) => ACTIONS.filter((action) => may(caller, action, resource));

const person = (role: Role): Caller => ({ kind: 'user', id: 'usr_1', roles: new Map([['org_1', role]]) });

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
