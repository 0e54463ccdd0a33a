/** The tables of API keys and requests: hashes of secrets, answers to repeated requests, counts of requests. */
const REQUESTS = `
  create table api_key_secrets (
    secret_id text primary key,
    key_id text not null,
    -- HMAC-SHA-256 under the pepper
    hash bytea not null unique,
    created_at timestamptz not null default clock_timestamp()
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

/** The processes, by their heartbeats; which of them may rely on their registry, and up to which event one must go. */
const PROCESSES = `
  create table processes (
    id uuid primary key,
    app text not null,
    host text not null,
    pid integer not null,
    started_at timestamptz not null,
    beat_at timestamptz not null,
    -- how each store answers it: [{"store", "operation", "reason", "since"}]; reason null = it works
    stores jsonb not null
  ) with (fillfactor = 50, autovacuum_vacuum_threshold = 1000);
  create table key_leases (
    id uuid primary key,
    process text not null,
    -- of the event store, as far as the process has applied it; opaque
    position text not null,
    renewals bigint not null default 0
  ) with (fillfactor = 50);

  -- when a key was used last, whichever secret it had
  create table api_key_uses (
    key_id text primary key,
    last_used_at timestamptz not null
  ) with (fillfactor = 70);
  create table newest_revocations (
    -- of the event store; opaque. Mostly one row: an older one is deleted once a newer one is there
    position text primary key
  );
`;

/**
 * Secrets that make visitor ids, and the keys with which profiles are sealed in the log and in read models, one for each
 * profile of a website. They are left out of backups: a dead salt, or a profile whose row is deleted, is gone for good.
 */
const VISITORS = `
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
`;

/** When each monitor is checked next; its results are in the intake log. */
const MONITORS = `
  create table monitor_schedule (
    monitor_id text primary key,
    interval_seconds integer not null,
    due_at timestamptz not null,
    -- until when the check belongs to the process that has taken it; null = none has
    claimed_until timestamptz,
    -- no check was finished since the monitor was created or resumed
    is_resumed boolean not null default false
  ) with (fillfactor = 70);
  create index monitor_schedule_due on monitor_schedule (due_at);
`;

export const AUXILIARY_TABLES_SQL = REQUESTS + PROCESSES + VISITORS + MONITORS;
