import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  OAuthGrantCreated,
  OAuthGrantEvent,
  OAuthGrantRevoked,
  RevocationReason,
} from '@ledgerline/contracts/events/api-key.events';
import { decider, type Command } from '../decider';

export type OAuthGrantCommand = CreateOAuthGrant | RevokeOAuthGrant;
export type CreateOAuthGrant = Command<'CreateOAuthGrant', OAuthGrantCreated['data']>;
export type RevokeOAuthGrant = Command<'RevokeOAuthGrant', { reason: RevocationReason }>;

type OAuthGrant =
  | { readonly status: 'absent' | 'revoked' }
  | { readonly status: 'active'; readonly names: Omit<OAuthGrantRevoked['data'], 'reason'> };

export const oauthGrant = decider<OAuthGrant, OAuthGrantCommand, OAuthGrantEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateOAuthGrant({ status }, data) {
      if (status !== 'absent') throw new Rejection('OAUTH_GRANT_EXISTS');
      if (data.scopes.length === 0) throw new Rejection('SCOPES_EMPTY', 'scopes');
      if (data.websiteIds?.length === 0) throw new Rejection('WEBSITES_EMPTY', 'websiteIds');
      return [{ type: 'OAuthGrantCreated', data }];
    },
    RevokeOAuthGrant(grant, { reason }) {
      if (grant.status !== 'active') throw new Rejection('OAUTH_GRANT_NOT_FOUND');
      return [{ type: 'OAuthGrantRevoked', data: { ...grant.names, reason } }];
    },
  },

  evolve: {
    OAuthGrantCreated: (_, { grantId, organizationId, userId, clientId, clientName }) => ({
      status: 'active',
      names: { grantId, organizationId, userId, clientId, clientName },
    }),
    OAuthGrantRevoked: () => ({ status: 'revoked' }),
  },
});
