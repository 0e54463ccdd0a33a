import type { Member, OAuthGrant } from '@ledgerline/contracts/records';
import { type AccessToken, type Action, type GrantCaller, grantCaller, may } from './caller';

describe('the caller of an access token', () => {
  it('is the client with what was granted, for the person who granted it', () =>
    expect(grantCaller(token, grant, member, now)).toEqual({
      kind: 'grant',
      id: 'grant_1',
      organizationId: 'org_1',
      client: 'Agent (agent.example)',
      scopes: ['read:data', 'write:data'],
      resources: null,
      person: token.person,
      role: 'admin',
    }));

  it('has no scope that the token does not have', () =>
    expect(grantCaller({ ...token, scopes: ['read:data'] }, grant, member, now)?.scopes).toEqual(['read:data']));

  it('has the chosen websites and no others', () =>
    expect(grantCaller(token, { ...grant, websiteIds: ['site_1'] }, member, now)?.resources).toEqual({
      'website:site_1': [],
    }));

  it('is nobody once the token has expired, or the grant or the membership has ended', () => {
    expect(grantCaller({ ...token, expiresAt: now }, grant, member, now)).toBeUndefined();
    expect(grantCaller(token, undefined, member, now)).toBeUndefined();
    expect(grantCaller(token, grant, undefined, now)).toBeUndefined();
  });

  it('stays nobody when the person is a member again', () =>
    expect(grantCaller(token, grant, { ...member, joinedAt: at(11) }, now)).toBeUndefined());

  it('may what both the grant and the role of the moment allow', () => {
    expect(allowed('admin')).toEqual(['websites:read', 'websites:write', 'links:read', 'links:write']);
    expect(allowed('member')).toEqual(['websites:read', 'links:read', 'links:write']);
    expect(allowed('owner', { scopes: ['read:data'] })).toEqual(['websites:read', 'links:read']);
    expect(allowed('owner', { websiteIds: ['site_1'] })).toEqual(['websites:read', 'websites:write']);
    expect(allowed('owner', { organizationId: 'org_2' })).toEqual([]);
  });
});

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));
const now = at(12);

const token: AccessToken = {
  grantId: 'grant_1',
  scopes: ['read:data', 'write:data', 'offline_access'],
  expiresAt: at(13),
  person: { id: 'usr_1', name: 'Ada', email: 'ada@example.com' },
};

const grant: OAuthGrant = {
  id: 'grant_1',
  organizationId: 'org_1',
  userId: 'usr_1',
  clientId: 'https://agent.example/client.json',
  clientName: 'Agent',
  scopes: ['read:data', 'write:data', 'read:audit'],
  websiteIds: null,
  createdAt: at(10),
  updatedAt: at(10),
  revision: 0,
};

const member: Member = {
  organizationId: 'org_1',
  userId: 'usr_1',
  role: 'admin',
  joinedAt: at(9),
  joinedRevision: 0,
  roleRevision: 0,
};

const ACTIONS: Action[] = [
  'websites:read',
  'websites:write',
  'links:read',
  'links:write',
  'apiKeys:write',
  'members:read',
];

const allowed = (role: GrantCaller['role'], change: Partial<OAuthGrant> = {}) => {
  const caller = grantCaller(token, { ...grant, ...change }, { ...member, role }, now)!;
  return ACTIONS.filter((action) => {
    const websiteId = action.startsWith('websites') ? 'site_1' : null;
    return may(caller, action, { organizationId: 'org_1', websiteId });
  });
};
