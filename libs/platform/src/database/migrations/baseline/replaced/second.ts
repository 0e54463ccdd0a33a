import type { ReplacedMigration } from './replaced-migration';

/** Migrations that the baselines replace, as they were; the second of them. */
export const SECOND: readonly ReplacedMigration[] = [
  {
    name: 'Accounts1764000000410',
    statements: `
    create schema auth;
    create table auth."user" (
      "id" text not null primary key, "name" text not null, "email" text not null unique,
      "emailVerified" boolean not null, "image" text,
      "createdAt" timestamptz default current_timestamp not null,
      "updatedAt" timestamptz default current_timestamp not null
    );
    create table auth."session" (
      "id" text not null primary key, "expiresAt" timestamptz not null, "token" text not null unique,
      "createdAt" timestamptz default current_timestamp not null, "updatedAt" timestamptz not null,
      "ipAddress" text, "userAgent" text,
      "userId" text not null references auth."user" ("id") on delete cascade
    );
    create table auth."account" (
      "id" text not null primary key, "accountId" text not null, "providerId" text not null,
      "userId" text not null references auth."user" ("id") on delete cascade,
      "accessToken" text, "refreshToken" text, "idToken" text,
      "accessTokenExpiresAt" timestamptz, "refreshTokenExpiresAt" timestamptz, "scope" text, "password" text,
      "createdAt" timestamptz default current_timestamp not null, "updatedAt" timestamptz not null
    );
    create table auth."verification" (
      "id" text not null primary key, "identifier" text not null, "value" text not null,
      "expiresAt" timestamptz not null,
      "createdAt" timestamptz default current_timestamp not null,
      "updatedAt" timestamptz default current_timestamp not null
    );
    create index "session_userId_idx" on auth."session" ("userId");
    create index "account_userId_idx" on auth."account" ("userId");
    create index "verification_identifier_idx" on auth."verification" ("identifier");
`,
  },
  {
    name: 'Salts1764000000500',
    statements: `
    create table salts (
      -- a website, or an organization (short links and its own events)
      scope text not null,
      -- 'YYYY-MM-DD', 'YYYY-MM' or 'stable'
      period text not null,
      salt bytea not null,
      -- null = it lives as long as its website
      dies_at timestamptz,
      primary key (scope, period)
    );
    create index salts_dies_at on salts (dies_at);
    create table import_secrets (
      website_id text primary key,
      secret bytea not null,
      created_at timestamptz not null default clock_timestamp()
    );
`,
  },
  {
    name: 'Dictionary1764000000600',
    isOfReadStores: true,
    statements: `
    alter table words rename to dictionary;
    alter table dictionary rename column word to text;
    alter table projection_groups drop column flipped_at;
`,
  },
  {
    name: 'KeyLeases1764000000700',
    statements: `
    create table key_leases (
      id uuid primary key,
      process text not null,
      -- of the event store, as far as the process has applied it; opaque
      position text not null,
      renewals bigint not null default 0
    ) with (fillfactor = 50);

    create table api_key_uses (
      key_id text primary key,
      last_used_at timestamptz not null
    ) with (fillfactor = 70);
    insert into api_key_uses
      select key_id, max(last_used_at) from api_key_secrets where last_used_at is not null group by key_id;
    alter table api_key_secrets drop column last_used_at;
`,
  },
  {
    name: 'InvitationAddresses1764000000800',
    statements: `
    create table invitation_addresses (
      invitation_id text primary key,
      organization_id text not null,
      email text not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create unique index on invitation_addresses (organization_id, lower(email));
    create index on invitation_addresses (lower(email));
    create index on invitation_addresses (created_at);
`,
  },
  {
    name: 'SubjectAndSigningKeys1764000000910',
    statements: `
    create table subject_keys (
      key_id text primary key,
      organization text not null,
      -- whom the data is about: the id of a user or of an API key
      subject text not null,
      -- the key, encrypted with the key named in wrapped_by; null = destroyed
      wrapped bytea,
      wrapped_by text not null,
      created_at timestamptz not null default clock_timestamp(),
      destroyed_at timestamptz,
      check ((wrapped is null) = (destroyed_at is not null))
    );
    create unique index subject_keys_in_use on subject_keys (organization, subject, wrapped_by) where wrapped is not null;

    create table signing_keys (
      key_id text primary key,
      -- Ed25519, DER (SPKI)
      public_key bytea not null,
      added_at timestamptz not null default clock_timestamp()
    );
`,
  },
  {
    name: 'ProfileKeys1764000000920',
    statements: `
    create table profile_keys (
      website_id text not null,
      -- the first 128 bits of the SHA-256 of the profile id
      profile_hash uuid not null,
      -- what the log calls the profile: random, so that nothing can be guessed from it
      subject uuid not null unique,
      key bytea not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (website_id, profile_hash)
    );
`,
  },
  {
    name: 'OAuth1764000000930',
    statements: `
    create table auth."oauthClient" (
      "id" text not null primary key, "clientId" text not null unique, "clientSecret" text,
      "clientDiscoveryId" text, "disabled" boolean, "skipConsent" boolean, "enableEndSession" boolean,
      "subjectType" text, "scopes" jsonb, "clientCredentialsScopes" jsonb,
      "userId" text references auth."user" ("id") on delete cascade,
      "createdAt" timestamptz, "updatedAt" timestamptz, "name" text, "uri" text, "icon" text, "contacts" jsonb,
      "tos" text, "policy" text, "softwareId" text, "softwareVersion" text, "softwareStatement" text,
      "redirectUris" jsonb not null, "postLogoutRedirectUris" jsonb, "backchannelLogoutUri" text,
      "backchannelLogoutSessionRequired" boolean, "tokenEndpointAuthMethod" text, "applicationType" text,
      "jwks" text, "jwksUri" text, "grantTypes" jsonb, "responseTypes" jsonb, "requirePKCE" boolean,
      "dpopBoundAccessTokens" boolean, "referenceId" text, "metadata" jsonb
    );
    create table auth."oauthResource" (
      "id" text not null primary key, "identifier" text not null unique, "name" text not null,
      "accessTokenTtl" integer, "refreshTokenTtl" integer, "signingAlgorithm" text, "signingKeyId" text,
      "allowedScopes" jsonb, "customClaims" jsonb, "dpopBoundAccessTokensRequired" boolean, "disabled" boolean,
      "createdAt" timestamptz, "updatedAt" timestamptz, "policyVersion" integer, "metadata" jsonb
    );
    create table auth."oauthClientResource" (
      "id" text not null primary key,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "resourceId" text not null references auth."oauthResource" ("identifier") on delete cascade,
      "metadata" jsonb, "createdAt" timestamptz, unique ("clientId", "resourceId")
    );
    create table auth."oauthRefreshToken" (
      "id" text not null primary key, "token" text not null unique,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "sessionId" text references auth."session" ("id") on delete set null,
      "userId" text not null references auth."user" ("id") on delete cascade,
      "referenceId" text, "authorizationCodeId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb,
      "expiresAt" timestamptz not null, "createdAt" timestamptz not null, "revoked" timestamptz,
      "rotatedAt" timestamptz, "rotationReplayResponse" text, "rotationReplayExpiresAt" timestamptz,
      "authTime" timestamptz, "confirmation" jsonb, "scopes" jsonb not null
    );
    create table auth."oauthAccessToken" (
      "id" text not null primary key, "token" text not null unique,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "sessionId" text references auth."session" ("id") on delete set null,
      "userId" text references auth."user" ("id") on delete cascade,
      "referenceId" text, "authorizationCodeId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb,
      "refreshId" text references auth."oauthRefreshToken" ("id") on delete set null,
      "expiresAt" timestamptz not null, "createdAt" timestamptz not null, "revoked" timestamptz,
      "confirmation" jsonb, "scopes" jsonb not null
    );
    create table auth."oauthConsent" (
      "id" text not null primary key,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "userId" text references auth."user" ("id") on delete cascade,
      "referenceId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb, "scopes" jsonb not null,
      "createdAt" timestamptz not null, "updatedAt" timestamptz not null
    );
    create table auth."oauthClientAssertion" ("id" text not null primary key, "expiresAt" timestamptz not null);
    create index "oauthRefreshToken_referenceId_idx" on auth."oauthRefreshToken" ("referenceId");
    create index "oauthRefreshToken_clientId_idx" on auth."oauthRefreshToken" ("clientId", "userId");
    create index "oauthRefreshToken_sessionId_idx" on auth."oauthRefreshToken" ("sessionId");
    create index "oauthRefreshToken_authorizationCodeId_idx" on auth."oauthRefreshToken" ("authorizationCodeId");
    create index "oauthAccessToken_referenceId_idx" on auth."oauthAccessToken" ("referenceId");
    create index "oauthAccessToken_clientId_idx" on auth."oauthAccessToken" ("clientId");
    create index "oauthAccessToken_refreshId_idx" on auth."oauthAccessToken" ("refreshId");
    create index "oauthAccessToken_sessionId_idx" on auth."oauthAccessToken" ("sessionId");
    create index "oauthAccessToken_authorizationCodeId_idx" on auth."oauthAccessToken" ("authorizationCodeId");
    create index "oauthConsent_referenceId_idx" on auth."oauthConsent" ("referenceId");
    create index "oauthConsent_clientId_idx" on auth."oauthConsent" ("clientId", "userId");
`,
  },
];
