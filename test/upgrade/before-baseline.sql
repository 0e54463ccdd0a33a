-- ReadModels1764000000100 (read stores too)
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

-- EventStore1764000000200
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

-- IntakeLog1764000000300
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

-- ApiKeys1764000000400
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

-- Accounts1764000000410
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

-- Salts1764000000500
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

-- Dictionary1764000000600 (read stores too)
    alter table words rename to dictionary;
    alter table dictionary rename column word to text;
    alter table projection_groups drop column flipped_at;

-- KeyLeases1764000000700
    create table key_leases (
      id uuid primary key,
      process text not null,
      -- of the event store, as far as the process has applied it; opaque
      position text not null,
      renewals bigint not null default 0
    ) with (fillfactor = 50);

    create table api_key_uses (
      key_id text primary key,
      last_used_at timestamptz not null
    ) with (fillfactor = 70);
    insert into api_key_uses
      select key_id, max(last_used_at) from api_key_secrets where last_used_at is not null group by key_id;
    alter table api_key_secrets drop column last_used_at;

-- InvitationAddresses1764000000800
    create table invitation_addresses (
      invitation_id text primary key,
      organization_id text not null,
      email text not null,
      created_at timestamptz not null default clock_timestamp()
    );
    create unique index on invitation_addresses (organization_id, lower(email));
    create index on invitation_addresses (lower(email));
    create index on invitation_addresses (created_at);

-- SubjectAndSigningKeys1764000000910
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

-- ProfileKeys1764000000920
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

-- OAuth1764000000930
    create table auth."oauthClient" (
      "id" text not null primary key, "clientId" text not null unique, "clientSecret" text,
      "clientDiscoveryId" text, "disabled" boolean, "skipConsent" boolean, "enableEndSession" boolean,
      "subjectType" text, "scopes" jsonb, "clientCredentialsScopes" jsonb,
      "userId" text references auth."user" ("id") on delete cascade,
      "createdAt" timestamptz, "updatedAt" timestamptz, "name" text, "uri" text, "icon" text, "contacts" jsonb,
      "tos" text, "policy" text, "softwareId" text, "softwareVersion" text, "softwareStatement" text,
      "redirectUris" jsonb not null, "postLogoutRedirectUris" jsonb, "backchannelLogoutUri" text,
      "backchannelLogoutSessionRequired" boolean, "tokenEndpointAuthMethod" text, "applicationType" text,
      "jwks" text, "jwksUri" text, "grantTypes" jsonb, "responseTypes" jsonb, "requirePKCE" boolean,
      "dpopBoundAccessTokens" boolean, "referenceId" text, "metadata" jsonb
    );
    create table auth."oauthResource" (
      "id" text not null primary key, "identifier" text not null unique, "name" text not null,
      "accessTokenTtl" integer, "refreshTokenTtl" integer, "signingAlgorithm" text, "signingKeyId" text,
      "allowedScopes" jsonb, "customClaims" jsonb, "dpopBoundAccessTokensRequired" boolean, "disabled" boolean,
      "createdAt" timestamptz, "updatedAt" timestamptz, "policyVersion" integer, "metadata" jsonb
    );
    create table auth."oauthClientResource" (
      "id" text not null primary key,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "resourceId" text not null references auth."oauthResource" ("identifier") on delete cascade,
      "metadata" jsonb, "createdAt" timestamptz, unique ("clientId", "resourceId")
    );
    create table auth."oauthRefreshToken" (
      "id" text not null primary key, "token" text not null unique,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "sessionId" text references auth."session" ("id") on delete set null,
      "userId" text not null references auth."user" ("id") on delete cascade,
      "referenceId" text, "authorizationCodeId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb,
      "expiresAt" timestamptz not null, "createdAt" timestamptz not null, "revoked" timestamptz,
      "rotatedAt" timestamptz, "rotationReplayResponse" text, "rotationReplayExpiresAt" timestamptz,
      "authTime" timestamptz, "confirmation" jsonb, "scopes" jsonb not null
    );
    create table auth."oauthAccessToken" (
      "id" text not null primary key, "token" text not null unique,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "sessionId" text references auth."session" ("id") on delete set null,
      "userId" text references auth."user" ("id") on delete cascade,
      "referenceId" text, "authorizationCodeId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb,
      "refreshId" text references auth."oauthRefreshToken" ("id") on delete set null,
      "expiresAt" timestamptz not null, "createdAt" timestamptz not null, "revoked" timestamptz,
      "confirmation" jsonb, "scopes" jsonb not null
    );
    create table auth."oauthConsent" (
      "id" text not null primary key,
      "clientId" text not null references auth."oauthClient" ("clientId") on delete cascade,
      "userId" text references auth."user" ("id") on delete cascade,
      "referenceId" text, "resources" jsonb, "requestedUserInfoClaims" jsonb, "scopes" jsonb not null,
      "createdAt" timestamptz not null, "updatedAt" timestamptz not null
    );
    create table auth."oauthClientAssertion" ("id" text not null primary key, "expiresAt" timestamptz not null);
    create index "oauthRefreshToken_referenceId_idx" on auth."oauthRefreshToken" ("referenceId");
    create index "oauthRefreshToken_clientId_idx" on auth."oauthRefreshToken" ("clientId", "userId");
    create index "oauthRefreshToken_sessionId_idx" on auth."oauthRefreshToken" ("sessionId");
    create index "oauthRefreshToken_authorizationCodeId_idx" on auth."oauthRefreshToken" ("authorizationCodeId");
    create index "oauthAccessToken_referenceId_idx" on auth."oauthAccessToken" ("referenceId");
    create index "oauthAccessToken_clientId_idx" on auth."oauthAccessToken" ("clientId");
    create index "oauthAccessToken_refreshId_idx" on auth."oauthAccessToken" ("refreshId");
    create index "oauthAccessToken_sessionId_idx" on auth."oauthAccessToken" ("sessionId");
    create index "oauthAccessToken_authorizationCodeId_idx" on auth."oauthAccessToken" ("authorizationCodeId");
    create index "oauthConsent_referenceId_idx" on auth."oauthConsent" ("referenceId");
    create index "oauthConsent_clientId_idx" on auth."oauthConsent" ("clientId", "userId");

-- IntakeStore1764000000940
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

-- SealedHeads1764000000960
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

-- CheckpointDigests1764000000970 (read stores too)
    -- of the log up to the cursor; null where the log has none, or none was known
    alter table projection_checkpoints add column digest text;

-- CopiedTopics1764000000980
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

-- MonitorSchedule1764000000990
    create table monitor_schedule (
      monitor_id text primary key,
      interval_seconds integer not null,
      due_at timestamptz not null,
      -- until when the check belongs to the process that has taken it; null = none has
      claimed_until timestamptz
    ) with (fillfactor = 70);
    create index monitor_schedule_due on monitor_schedule (due_at);

-- TableVersions1764000001000 (read stores too)
    alter table projection_groups
      -- by table that is not simply in the schema of the live version: see GroupLayout
      add column tables jsonb not null default '{}',
      -- the version that answered before the whole group was rebuilt; null = there is none
      add column previous jsonb,
      -- another one whenever the columns before, or the live version, change
      add column layout uuid not null default gen_random_uuid();
    -- events read while a partition is filled and has no cursor yet
    alter table projection_checkpoints add column filled bigint;

-- ParkedEvents1764000001010 (read stores too)
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

-- Reconciliations1764000001020 (read stores too)
    create table reconciliations (
      projection_group text not null,
      partition integer not null,
      -- when the last complete comparison began; before the first one, since when there has been none
      checked_since timestamptz not null default clock_timestamp(),
      -- when it ended
      checked_at timestamptz,
      -- of websites, links or monitors
      days integer not null default 0,
      primary key (projection_group, partition)
    );
    create table reconciliation_findings (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      -- of the website's zone; of UTC for links and monitors
      day date not null,
      table_name text not null,
      -- rows that only the log, only the table, or both with other values have
      missing integer not null,
      extra integer not null,
      changed integer not null,
      -- the first of them, as it follows from the log, and as it is
      expected jsonb,
      found jsonb,
      found_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      repaired_at timestamptz,
      primary key (projection_group, subject, day, table_name)
    );

-- HitTraces1764000001050
    -- not logged: after a crash it is empty, which nothing depends on
    create unlogged table hit_traces (
      partition integer not null,
      -- the newest of the flush in this partition; these hits are at or before it
      "offset" bigint not null,
      traceparent text not null,
      types text[] not null,
      stored_at timestamptz not null default clock_timestamp()
    );
    create index hit_traces_position on hit_traces (partition, "offset");

-- ReconciledDays1764000001060 (read stores too)
    alter table reconciliations
      -- up to where the log is counted in reconciled_days, for the tables of which layout
      add column counted_to text not null default '',
      add column counted_epoch text,
      add column counted_layout uuid;
    create table reconciled_days (
      projection_group text not null,
      partition integer not null,
      -- website, link or monitor
      subject text not null,
      day date not null,
      zone text not null,
      -- by table what the events of the log add: their number, and the sum of their times of day
      counts jsonb not null default '{}',
      -- the sum of the hashes of all rows when the day was compared; null = not since its events were counted
      signature numeric,
      proven_at timestamptz,
      primary key (projection_group, subject, day)
    );
    create index on reconciled_days (projection_group, partition, proven_at);

-- HeadStatements1764000001100
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

-- Processes1764000001140
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

-- MessageTags1764000001150
    alter table intake_topic_offsets add column requires_tags boolean not null default true;
    update intake_topic_offsets set requires_tags = false;

-- NewestRevocations1764000001160
    create table newest_revocations (
      -- of the event store; opaque. Mostly one row: an older one is deleted once a newer one is there
      position text primary key
    );

-- ResumedMonitors1764000001210
    -- no check was finished since the monitor was created or resumed
    alter table monitor_schedule add column is_resumed boolean not null default false;

-- VerifiedAccounts1764000001220
    -- accounts that were created before this, or without a mail server, may sign in with an address that is not verified
    alter table auth."user"
      add column "mustVerify" boolean not null default false,
      add column "verificationMailedAt" timestamptz,
      add column "isDemoOwner" boolean not null default false;

-- CountedTexts1764000001240 (read stores too)
    alter table reconciliations alter column counted_layout type text;
