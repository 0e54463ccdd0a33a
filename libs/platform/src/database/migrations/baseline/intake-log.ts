/** The intake log: compressed segments per partition, a hash chain over them, and the ids that were seen lately. */
const TABLES = `
  create table intake_log (
    only_row boolean primary key default true check (only_row),
    -- replaced when the log is restored, recreated or truncated
    epoch uuid not null default gen_random_uuid(),
    partitions integer not null check (partitions > 0),
    -- the topic that hits are sent to; null = they are sent to the segments
    topic text
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
`;

/**
 * The tables of how far the messages of a Kafka topic are in the intake log, and of the traces of requests that hits
 * belong to.
 */
const TOPICS_AND_TRACES = `
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
    -- false = it may hold messages of trackers that wrote no tags: it was copied before there were any
    requires_tags boolean not null default true,
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
  -- for a day, and written only while spans are exported; not logged: after a crash it is empty, which nothing depends on
  create unlogged table hit_traces (
    partition integer not null,
    -- the newest of the flush in this partition; these hits are at or before it
    "offset" bigint not null,
    traceparent text not null,
    types text[] not null,
    stored_at timestamptz not null default clock_timestamp()
  );
  create index hit_traces_position on hit_traces (partition, "offset");
`;

/**
 * Creates the table of a day and the function of the same name, which stores keys that arrive on it: a function for each
 * day, because its statements are planned once for each connection, and names of tables cannot be parameters.
 *
 * One table per day of arrival: today, and the two days before it, cover 48 hours. TRICKY: two sends on both sides of
 * midnight would look for each other in different tables, so in the first hour of a day a key goes into yesterday's
 * table too, where their inserts meet. Tables and keys are always taken in one order, so sends cannot deadlock.
 */
const ADD_DAY = `
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
`;

/**
 * A function that returns which of these sorted keys are new within 48 hours (or at all, for those in `forever`);
 * stores them.
 */
const FIRST_SEEN = `
  create function intake_first_seen(keys uuid[], forever uuid[], at timestamptz) returns uuid[]
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
`;

/** Appends the segments if all keys are new; otherwise only answers, in one row, which of them are. */
const STORE = `
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
`;

/**
 * Numbers, chains and stores segments. Head rows are locked last and in partition order; each stays locked until the
 * commit, so that offsets become visible in their order and a reader cannot miss one that commits late.
 *
 * The payloads come as one value, each \`length\` bytes long, one after another.
 */
const APPEND = `
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
`;

export const INTAKE_LOG_SQL = TABLES + TOPICS_AND_TRACES + ADD_DAY + FIRST_SEEN + STORE + APPEND;
