import type { BeforeValues, Event, LastValues } from './event';

export type ApiKeyEvent = ApiKeyCreated | ApiKeyUpdated | ApiKeyRotated | ApiKeyRevoked | ApiKeyDeleted;

/** Refers to the secret of the key by id; neither the secret nor its hash is ever recorded in an event. */
export type ApiKeyCreated = Event<'ApiKeyCreated', ApiKeyDetails & Secret & { keyId: string }>;
/** Records changed settings of a key, also that it was enabled or disabled. */
export type ApiKeyUpdated = Event<
  'ApiKeyUpdated',
  ApiKeyDetails & { keyId: string; enabled: boolean } & BeforeValues<ApiKeySettings>
>;
/** From now on this secret is the only valid one. */
export type ApiKeyRotated = Event<'ApiKeyRotated', OfKey & Secret & BeforeValues<Pick<Secret, 'start'>>>;
type ApiKeyRevoked = Event<'ApiKeyRevoked', OfKey>;
type ApiKeyDeleted = Event<'ApiKeyDeleted', OfKey & LastValues<ApiKeySettings & Pick<Secret, 'start'>>>;

export interface ApiKeyDetails {
  readonly organizationId: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly Scope[];
  /** null = global access; otherwise exactly these resources, each with its own scopes beside the top-level ones. */
  readonly resources: Readonly<Record<string, readonly Scope[]>> | null;
  readonly tags: readonly string[];
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number } | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
}

/** The settings of a key that may change. */
export type ApiKeySettings = Omit<ApiKeyDetails, 'organizationId'> & { readonly enabled: boolean };

/** The part of a secret that an event contains: its id, and the characters by which people recognise it. */
interface Secret {
  readonly secretId: string;
  readonly start: string;
}

/** The fields of a stored key beside its details. */
export interface OwnApiKeyFields {
  readonly secretId: string;
  readonly start: string;
  readonly enabled: boolean;
  readonly revokedAt: Date | null;
}

interface OfKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string;
}

export const SCOPES = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'] as const;
export type Scope = (typeof SCOPES)[number];

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
  /** The name that the client gives itself. */
  readonly clientName: string;
  readonly scopes: readonly GrantScope[];
  /** null = the whole organization. */
  readonly websiteIds: readonly string[] | null;
}

/** The scopes that a person can grant a client: the scopes of API keys, except sending events, which no person does. */
export const GRANT_SCOPES = ['read:data', 'write:data', 'manage:flags', 'read:audit'] as const satisfies Scope[];
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** `person`: the one who gave the grant; `client`: at the revocation endpoint; `reuse`: a code or refresh token was used twice; `departure`: the person left the organization with the account. */
export type RevocationReason = 'person' | 'client' | 'reuse' | 'departure';
