import type { OAuthGrantCreated, OAuthGrantRevoked } from '@ledgerline/contracts/events/api-key.events';
import { specify } from '@test/domain/given';
import { oauthGrant, type CreateOAuthGrant, type RevokeOAuthGrant } from './oauth-grant.decider';

describe('an OAuth grant', () => {
  it('is created once', () => {
    given().when(create).then(created);
    given(created).when(create).rejects('OAUTH_GRANT_EXISTS');
    given(created, revoked).when(create).rejects('OAUTH_GRANT_EXISTS');
  });

  it('has a scope, and a website unless it has all', () => {
    given()
      .when({ ...create, data: { ...data, scopes: [] } })
      .rejects('SCOPES_EMPTY');
    given()
      .when({ ...create, data: { ...data, websiteIds: [] } })
      .rejects('WEBSITES_EMPTY');
  });

  it('is revoked once, with the reason', () => {
    given(created).when(revoke).then(revoked);
    given(created, revoked).when(revoke).rejects('OAUTH_GRANT_NOT_FOUND');
    given().when(revoke).rejects('OAUTH_GRANT_NOT_FOUND');
  });
});

const given = specify(oauthGrant);
const names = {
  grantId: 'grant_1',
  organizationId: 'org_1',
  userId: 'usr_1',
  clientId: 'https://agent.example/client.json',
  clientName: 'Agent',
};
const data: OAuthGrantCreated['data'] = { ...names, scopes: ['read:data'], websiteIds: null };
const create: CreateOAuthGrant = { type: 'CreateOAuthGrant', data };
const created: OAuthGrantCreated = { type: 'OAuthGrantCreated', data };
const revoke: RevokeOAuthGrant = { type: 'RevokeOAuthGrant', data: { reason: 'reuse' } };
const revoked: OAuthGrantRevoked = { type: 'OAuthGrantRevoked', data: { ...names, reason: 'reuse' } };
