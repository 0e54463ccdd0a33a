import type { ReplacedMigration } from './replaced-migration';

/** Migrations that the baselines replace, as they were; the first of them. */
export const FIRST: readonly ReplacedMigration[] = [
  {
    name: 'ReadModels1764000000100',
    isOfReadStores: true,
    statements: `
    create table words (
      id integer generated always as identity primary key,
      scope integer not null,
      hash uuid not null,
      word text not null,
      unique (scope, hash)
    );
    create table projection_groups (
      name text primary key,
      live_version integer not null,
      flipped_at timestamptz not null default clock_timestamp()
    );
    create table projection_checkpoints (
      projection_group text not null,
      version integer not null,
      partition integer not null,
      epoch text not null,
      cursor text not null,
      -- time (by the log) of the newest event that is included
      as_of timestamptz,
      events bigint not null default 0,
      -- why it stands still; null = it does not
      stopped text,
      updated_at timestamptz not null default clock_timestamp(),
      primary key (projection_group, version, partition)
    ) with (fillfactor = 50);
`,
  },
  {
    name: 'EventStore1764000000200',
    statements: `
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
`,
  },
  {
    name: 'IntakeLog1764000000300',
    statements: `
  create table intake_log (
    only_row boolean primary key default true check (only_row),
    -- replaced when the log is restored, recreated or truncated
    epoch uuid not null default gen_random_uuid(),
    partitions integer not null check (partitions > 0)
  );
  create table intake_heads (
    partition integer primary key,
    next_offset bigint not null default 0,
    -- of the newest segment
    chain bytea not null default decode(repeat('00', 32), 'hex')
  ) with (fillfactor = 10);
  create table intake_segments (
    partition integer not null,
    first_offset bigint not null,
    count integer not null,
    types text[] not null,
    -- how the payload is written, and its bytes when unpacked
    format smallint not null,
    size integer not null,
    -- event times, epoch ms
    min_at bigint not null,
    max_at bigint not null,
    recorded_at timestamptz not null,
    payload_hash bytea not null,
    -- sha256(chain of the segment before, the columns above, payload_hash)
    chain bytea not null,
    -- null once retention has taken it
    payload bytea,
    primary key (partition, first_offset)
  );
  alter table intake_segments alter payload set storage external;
  create schema intake_seen;
  create table intake_seen.forever (hash uuid primary key);

  create function intake_first_seen(keys uuid[], forever uuid[], at timestamptz) returns uuid[]
  language plpgsql set enable_seqscan = off as $$
  declare
    time timestamp := coalesce(at, clock_timestamp()) at time zone 'UTC';
    today date := time::date;
    near_midnight boolean := time - today < interval '1 hour';
    fresh uuid[];
  begin
    select array(
      select k from unnest(keys) k where not exists (select from intake_seen.forever s where s.hash = k) order by k
    ) into fresh;
    if cardinality(forever) > 0 then
      with added as (
        insert into intake_seen.forever select k from unnest(forever) k order by k on conflict do nothing returning hash
      )
      select array(
        select k from unnest(fresh) k
        where not exists (select from unnest(forever) f where f = k) or exists (select from added where hash = k)
        order by k
      ) into fresh;
    end if;
    if near_midnight then
      execute format('
        with added as (
          insert into intake_seen.%I select k from unnest($1) k order by k on conflict do nothing returning hash
        )
        select array(select hash from added order by hash)', today - 1
      ) into fresh using fresh;
    end if;
    execute format('
      select array(
        select k from unnest($1) k
        where ($2 or not exists (select from intake_seen.%I s where s.hash = k))
          and not exists (select from intake_seen.%I s where s.hash = k)
        order by k)', today - 1, today - 2
    ) into fresh using fresh, near_midnight;
    execute format('
      with added as (
        insert into intake_seen.%I select k from unnest($1) k order by k on conflict do nothing returning hash
      )
      select array(select hash from added)', today
    ) into fresh using fresh;
    return fresh;
  end $$;

  create function intake_append(
    partitions integer[], counts integer[], types text[], format smallint, sizes integer[],
    min_ats bigint[], max_ats bigint[], lengths integer[], payloads bytea
  ) returns table (at_partition integer, at_offset bigint, at_newest bigint, with_chain bytea)
  language plpgsql as $$
  declare
    segment record;
    head intake_heads;
    recorded timestamptz;
    bytes bytea;
    header text;
    hash bytea;
  begin
    perform from intake_heads h where h.partition = any (partitions) order by h.partition for update;
    recorded := date_trunc('milliseconds', clock_timestamp());
    for segment in
      select p.*, sum(p.length) over (order by p.place) - p.length as start
      from unnest(partitions, counts, types, sizes, min_ats, max_ats, lengths)
        with ordinality as p (partition, count, types, size, min_at, max_at, length, place)
      order by p.place
    loop
      bytes := substr(payloads, segment.start::integer + 1, segment.length);
      hash := sha256(bytes);
      select * into strict head from intake_heads h where h.partition = segment.partition;
      header := concat_ws('|', segment.partition, head.next_offset, segment.count, segment.types, format, segment.size,
        segment.min_at, segment.max_at, (extract(epoch from recorded) * 1000)::bigint);
      update intake_heads h
        set next_offset = h.next_offset + segment.count, chain = sha256(h.chain || convert_to(header, 'UTF8') || hash)
        where h.partition = segment.partition returning h.chain into with_chain;
      insert into intake_segments values (segment.partition, head.next_offset, segment.count,
        string_to_array(segment.types, ','), format, segment.size, segment.min_at, segment.max_at, recorded,
        hash, with_chain, bytes);
      at_partition := segment.partition;
      at_offset := head.next_offset;
      at_newest := head.next_offset + segment.count - 1;
      return next;
    end loop;
    perform pg_notify('intake_log', array_to_string(partitions, ','));
  end $$;
`,
  },
  {
    name: 'ApiKeys1764000000400',
    statements: `
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
`,
  },
];
