-- from days
with grouped as (
  select value, total_events, events_with_properties, first_at, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_events) as total_events, sum(events_with_properties) as events_with_properties,
      min(first_at) as first_at, max(last_at) as last_at
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select * from "websites_v1"."custom_events_daily"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
    group by value having sum(total_events) > 0
  ) totals
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($5::smallint[], $6::date[], $7::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."custom_event_users"
    where website = $8 and span = b.span and day = b.day and previous_day = $9::date offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($10::smallint[], $11::date[], $12::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."custom_event_users"
    where website = $13 and span = b.span and day = b.day and previous_day >= $14::date offset 0
  ) t) each_block
  group by value) users using (value)
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($15::smallint[], $16::date[], $17::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."custom_event_sessions"
    where website = $18 and span = b.span and day = b.day and previous_day = $19::date offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($20::smallint[], $21::date[], $22::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."custom_event_sessions"
    where website = $23 and span = b.span and day = b.day and previous_day >= $24::date offset 0
  ) t) each_block
  group by value) visits using (value)
)
select coalesce(d.text, '') as name, total_events::float8 as total_events, unique_users::float8 as unique_users,
  unique_sessions::float8 as unique_sessions, first_at as first_occurrence, last_at as last_occurrence,
  events_with_properties::float8 as events_with_properties, whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_events) over () as whole, count(*) over () as total_rows from grouped order by "total_events" desc, "unique_users" desc, "unique_sessions" desc, "events_with_properties" desc fetch first $25 rows with ties
) r
left join dictionary d on d.id = r.value;
