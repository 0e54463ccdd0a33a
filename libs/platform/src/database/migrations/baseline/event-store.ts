/** Decided events: one total order without gaps, a stream per thing, one hash chain per organization, and what was signed. */
export const EVENT_STORE_TABLES_SQL = `
  create table streams (
    name text primary key,
    organization text not null,
    -- of the newest event; -1 = none yet
    revision integer not null
  ) with (fillfactor = 70);
  create table organization_chains (
    organization text primary key,
    -- of the newest event in the chain; -1 = none yet
    revision bigint not null,
    hash bytea not null
  ) with (fillfactor = 50);
  create table event_store_head (
    only_row boolean primary key default true check (only_row),
    position bigint not null,
    epoch uuid not null
  ) with (fillfactor = 10);
  insert into event_store_head (position, epoch) values (0, gen_random_uuid());
  create table events (
    position bigint primary key,
    organization text not null,
    chain_revision bigint not null,
    stream text not null,
    revision integer not null,
    id uuid not null unique,
    type text not null,
    -- json, not jsonb: NUL and lone surrogates survive in it
    data json not null,
    sealed text,
    metadata json not null,
    hash bytea not null,
    previous_hash bytea not null,
    recorded_at timestamptz not null default clock_timestamp(),
    unique (stream, revision)
  );
  create index events_of_organization on events (organization, position);

  -- what was signed of the hash chains in Postgres: statements in a chain of their own (see head-statement.ts)
  create table head_statements (
    -- from 0
    number bigint primary key,
    -- hash of the statement before, 64 zeros of the first
    previous text not null,
    -- the organizations whose heads have changed: [{ organization, revision, hash, signature, resealed? }]
    heads jsonb not null,
    -- why an operator had everything signed as it was, whatever was signed before
    restart text,
    -- ISO 8601, as it was signed
    signed_at text not null,
    key_id text not null,
    signature text not null
  );
  create index head_statements_by_organization on head_statements using gin (heads jsonb_path_ops);
  create index head_statements_restarts on head_statements (number) where restart is not null;

  -- the newest signed head of each organization (see signed-head.ts)
  create table sealed_heads (
    organization text primary key,
    revision bigint not null,
    hash text not null,
    -- ISO 8601, as it was signed
    signed_at text not null,
    key_id text not null,
    signature text not null
  );

  create table sealing_faults (
    organization text primary key,
    -- a sentence for operators
    reason text not null,
    since timestamptz not null default clock_timestamp()
  );

  -- keys of the sealed personal data in events, and public keys with which signed heads are verified
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
`;
