import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the api keeps beside the logs: hashes of secrets, answers to repeated requests, counts of requests. */
export class ApiKeys1764000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table request_counts; drop table idempotency_keys; drop table api_key_secrets');
  }
}
