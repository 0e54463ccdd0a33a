import { SqlMigration } from './sql-migration';

/** Stores what is sent to destinations: how far each is in the audit chain of its organization, and its messages. */
export class Destinations1796025700000 extends SqlMigration {
  protected readonly statements = `
    create table destination_sending (
      destination_id text primary key,
      organization_id text not null,
      -- the place in the chain of the organization that is read next
      next_revision bigint not null,
      -- of the place before it; null = it is not compared
      hash text,
      -- ok, held_back or off
      state text not null default 'ok',
      -- of the message that waits
      tries integer not null default 0,
      failing_since timestamptz,
      next_at timestamptz not null default now(),
      -- of the process that sends; null = none does
      claim uuid,
      claimed_until timestamptz,
      -- the most entries in a message to an audit stream
      batch integer not null default 500,
      -- of the newest signed head that an audit stream has got
      head_revision bigint not null default -1,
      -- of the last try
      status integer,
      answer text,
      answered_at timestamptz
    ) with (fillfactor = 50);
    create index destination_sending_due on destination_sending (next_at) where state <> 'off';

    create table deliveries (
      destination_id text not null,
      id uuid not null,
      -- places in the chain
      first_revision bigint not null,
      last_revision bigint not null,
      -- hash of the place before the first; null = it is not compared
      previous_hash text,
      -- of the signed head in it; null = none is
      head_revision bigint,
      type text not null,
      -- the bytes that are sent at each try; null of what was sent to an audit stream
      body text,
      -- waiting, sent or set_aside
      state text not null default 'waiting',
      -- sent again, after all that is new
      is_repeated boolean not null default false,
      tries integer not null default 0,
      status integer,
      answer text,
      created_at timestamptz not null default now(),
      changed_at timestamptz not null default now(),
      primary key (destination_id, id)
    );
    create index deliveries_in_order on deliveries (destination_id, first_revision);
    create index deliveries_waiting on deliveries (destination_id, is_repeated, first_revision) where state = 'waiting';
    create index deliveries_changed on deliveries (changed_at) where state <> 'waiting';

    -- the installation that sends: a copy of it is silent
    create table delivery_sender (
      only_row boolean primary key default true check (only_row),
      public_api_url text not null,
      -- of the cluster of the main database
      system_identifier text not null,
      -- of the event store
      epoch text not null,
      -- when a sender has last looked for messages, and whether it took itself for a copy
      looked_at timestamptz not null default now(),
      is_copy boolean not null default false
    ) with (fillfactor = 10);
  `;
}
