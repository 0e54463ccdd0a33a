import { SqlMigration } from './sql-migration';

/** Deduplication with plans that are kept, and in one call with the append. */
export class IntakeStore1764000000940 extends SqlMigration {
  protected readonly statements = ADD_DAY + FIRST_SEEN + STORE;
}

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
  select intake_add_day(tablename::date) from pg_tables where schemaname = 'intake_seen' and tablename <> 'forever';
`;

/** Which of these sorted keys are new within 48 hours (or at all, for those in `forever`); stores them. */
const FIRST_SEEN = `
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
