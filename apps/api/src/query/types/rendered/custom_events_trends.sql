-- from days
select width_bucket(day, $1::date[]) as bucket, total_events::float8 as total_events,
  unique_event_types::float8 as unique_event_types, coalesce(unique_users, 0)::float8 as unique_users
from (
  select day, sum(total_events) as total_events, count(*) as unique_event_types
  from "websites_v1"."custom_events_daily" where website = $2 and span = 1
    and day between $3::date and $4::date and total_events > 0
  group by day
) events
left join (
  select day, distinct_count as unique_users from "websites_v1"."custom_event_users"
  where website = $5 and span = 1
    and day between $6::date and $7::date and value = $8 and previous_day = $9::date
) users using (day);

-- from facts
select bucket, total_events::float8 as total_events, unique_event_types::float8 as unique_event_types,
  unique_users::float8 as unique_users
from (
  select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, count(*) as total_events, count(distinct e.name) as unique_event_types,
    count(distinct e.visitor) as unique_users
  from "websites_v1"."custom_events" e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz
  group by 1
) counted;

-- from facts, filtered by path and country
select bucket, total_events::float8 as total_events, unique_event_types::float8 as unique_event_types,
  unique_users::float8 as unique_users
from (
  select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, count(*) as total_events, count(distinct e.name) as unique_event_types,
    count(distinct e.visitor) as unique_users
  from "websites_v1"."custom_events" e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz and e.path = any($6::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.entered_at is not null and "s"."country" = any($10::int[]))
  group by 1
) counted;
