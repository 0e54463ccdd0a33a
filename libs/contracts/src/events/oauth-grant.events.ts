import type { Scope } from './api-key.events';
import type { Event } from './event';

export type OAuthGrantEvent = OAuthGrantCreated | OAuthGrantRevoked;

/** A person lets a client act for them in one organization; codes and tokens are never recorded in an event. */
export type OAuthGrantCreated = Event<'OAuthGrantCreated', OAuthGrantDetails & { grantId: string }>;
export type OAuthGrantRevoked = Event<
  'OAuthGrantRevoked',
  {
    grantId: string;
    organizationId: string;
    userId: string;
    clientId: string;
    clientName: string;
    reason: RevocationReason;
  }
>;

export interface OAuthGrantDetails {
  readonly organizationId: string;
  readonly userId: string;
  /** The address of the client's metadata document. */
  readonly clientId: string;
  /** What the client calls itself. */
  readonly clientName: string;
  readonly scopes: readonly GrantScope[];
  /** null = the whole organization. */
  readonly websiteIds: readonly string[] | null;
}

/** What a person can let a client do: the scopes of API keys, except sending events, which no person does. */
export const GRANT_SCOPES = ['read:data', 'write:data', 'manage:flags', 'read:audit'] as const satisfies Scope[];
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** `person`: the one who gave the grant; `client`: at the revocation endpoint; `reuse`: a code or refresh token was used twice; `departure`: the person left the organization with the account. */
export type RevocationReason = 'person' | 'client' | 'reuse' | 'departure';
