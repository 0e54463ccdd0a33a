import { SqlMigration } from './sql-migration';

/** People, their passwords and sessions: the tables of the account library, in a schema of their own. */
export class Accounts1764000000410 extends SqlMigration {
  protected readonly statements = `
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
  `;
}
