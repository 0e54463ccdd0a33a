import { SqlMigration } from './sql-migration';

/** What the api keeps beside the logs: hashes of secrets, answers to repeated requests, counts of requests. */
export class ApiKeys1764000000400 extends SqlMigration {
  protected readonly statements = `
    create table api_key_secrets (
      secret_id text primary key,
      key_id text not null,
      -- HMAC-SHA-256 under the pepper
      hash bytea not null unique,
      created_at timestamptz not null default clock_timestamp(),
      last_used_at timestamptz
    );
    create index on api_key_secrets (created_at);

    create table idempotency_keys (
      principal text not null,
      route text not null,
      key text not null,
      body_hash bytea not null,
      command_id uuid not null,
      thing_id text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (principal, route, key)
    );
    create index on idempotency_keys (created_at);

    create unlogged table request_counts (
      principal text primary key,
      hits integer not null,
      resets_at timestamptz not null
    ) with (fillfactor = 70);
  `;
}
