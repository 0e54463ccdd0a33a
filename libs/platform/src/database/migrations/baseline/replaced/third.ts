import type { ReplacedMigration } from './replaced-migration';

/** Migrations that the baselines replace, as they were; the third of them. */
export const THIRD: readonly ReplacedMigration[] = [
  {
    name: 'IntakeStore1764000000940',
    statements: `
  create function intake_add_day(day date) returns void language plpgsql as $$
  begin
    execute format('create table if not exists intake_seen.%I (hash uuid primary key)', day);
    execute format($function$
      create or replace function intake_seen.%1$I(keys uuid[], near_midnight boolean) returns uuid[]
      language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $body$
      declare
        fresh uuid[] := keys;
      begin
        if near_midnight then
          with added as (
            insert into intake_seen.%2$I select k from unnest(fresh) k order by k on conflict do nothing returning hash
          )
          select array(select hash from added order by hash) into fresh;
        end if;
        with added as (
          insert into intake_seen.%1$I
          select k from unnest(fresh) k
          where (near_midnight or not exists (select from intake_seen.%2$I s where s.hash = k))
            and not exists (select from intake_seen.%3$I s where s.hash = k)
          order by k on conflict do nothing returning hash
        )
        select array(select hash from added) into fresh;
        return fresh;
      end $body$
    $function$, day, day - 1, day - 2);
  end $$;
  select intake_add_day(tablename::date) from pg_tables where schemaname = 'intake_seen' and tablename <> 'forever';

  create or replace function intake_first_seen(keys uuid[], forever uuid[], at timestamptz) returns uuid[]
  language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
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
    execute format('select intake_seen.%I($1, $2)', today) into fresh using fresh, near_midnight;
    return fresh;
  end $$;

  create function intake_store(
    keys uuid[], forever uuid[], at timestamptz,
    partitions integer[], counts integer[], types text[], format smallint, sizes integer[],
    min_ats bigint[], max_ats bigint[], lengths integer[], payloads bytea
  ) returns table (fresh uuid[], at_partition integer, at_offset bigint, at_newest bigint, with_chain bytea)
  language plpgsql as $$
  begin
    if cardinality(keys) > 0 then
      fresh := intake_first_seen(keys, forever, at);
      if cardinality(fresh) < cardinality(keys) then
        return next;
        return;
      end if;
    end if;
    return query select null::uuid[], placed.* from intake_append(
      partitions, counts, types, format, sizes, min_ats, max_ats, lengths, payloads
    ) placed;
  end $$;
`,
  },
  {
    name: 'SealedHeads1764000000960',
    statements: `
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
`,
  },
  {
    name: 'CheckpointDigests1764000000970',
    isOfReadStores: true,
    statements: `
    -- of the log up to the cursor; null where the log has none, or none was known
    alter table projection_checkpoints add column digest text;
`,
  },
  {
    name: 'CopiedTopics1764000000980',
    statements: `
    -- the topic that hits are sent to; null = they are sent to the segments
    alter table intake_log add column topic text;
    create table intake_topic_offsets (
      topic text not null,
      partition integer not null,
      -- of the first message that is not copied; moves in the transaction that stores what is before it
      next_offset bigint not null default 0,
      -- sha256 of the message before it
      digest bytea,
      -- by sender: the number of its newest message that is copied, and when that came, epoch ms
      senders jsonb not null default '{}',
      -- everything that came before this time is copied
      caught_up_at timestamptz not null default clock_timestamp(),
      -- of the first message that is not in the topic yet, when that was asked last
      end_offset bigint not null default 0,
      -- messages that the topic dropped before they were copied, and when that was noticed last
      lost bigint not null default 0,
      lost_at timestamptz,
      -- since when, and why nothing is copied
      stopped_at timestamptz,
      stopped text,
      primary key (topic, partition)
    ) with (fillfactor = 20);
    -- messages that are no hits
    create table intake_refused_messages (
      topic text not null,
      partition integer not null,
      reason text not null,
      messages bigint not null,
      first_offset bigint not null,
      last_offset bigint not null,
      last_at timestamptz not null default clock_timestamp(),
      primary key (topic, partition, reason)
    );
`,
  },
  {
    name: 'MonitorSchedule1764000000990',
    statements: `
    create table monitor_schedule (
      monitor_id text primary key,
      interval_seconds integer not null,
      due_at timestamptz not null,
      -- until when the check belongs to the process that has taken it; null = none has
      claimed_until timestamptz
    ) with (fillfactor = 70);
    create index monitor_schedule_due on monitor_schedule (due_at);
`,
  },
  {
    name: 'TableVersions1764000001000',
    isOfReadStores: true,
    statements: `
    alter table projection_groups
      -- by table that is not simply in the schema of the live version: see GroupLayout
      add column tables jsonb not null default '{}',
      -- the version that answered before the whole group was rebuilt; null = there is none
      add column previous jsonb,
      -- another one whenever the columns before, or the live version, change
      add column layout uuid not null default gen_random_uuid();
    -- events read while a partition is filled and has no cursor yet
    alter table projection_checkpoints add column filled bigint;
`,
  },
  {
    name: 'ParkedEvents1764000001010',
    isOfReadStores: true,
    statements: `
    create table parked_events (
      -- in a partition of a version, in the order of the log
      number bigint generated always as identity primary key,
      projection_group text not null,
      version integer not null,
      partition integer not null,
      epoch text not null,
      cursor text not null,
      -- where the log is read from to find it
      after text not null,
      event_id text not null,
      event_type text not null,
      -- website, link, monitor, or stream
      subject text not null,
      -- null = unknown
      occurred_at timestamptz,
      -- later events with the same key wait behind it
      order_key text not null,
      -- null = it only waits behind an earlier one
      error text,
      tries integer not null,
      parked_at timestamptz not null default clock_timestamp(),
      -- since when every version leaves it out for good; null = it does not
      accepted_at timestamptz,
      unique (projection_group, version, partition, epoch, cursor)
    );
    create index on parked_events (projection_group, version, partition, subject) where accepted_at is null;
    -- of which parked events a process knows when it writes a batch
    alter table projection_checkpoints add column parked_revision integer not null default 0;
`,
  },
];
