import { SqlMigration } from './sql-migration';

/** Decided events: one total order without gaps, a stream per thing, one hash chain per organization. */
export class EventStore1764000000200 extends SqlMigration {
  protected readonly statements = `
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
  `;
}
