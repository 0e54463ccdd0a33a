-- from facts
with grouped as (
  select e.path as value, count(*) as total_events, count(distinct e.name) as unique_event_types,
    count(distinct e.visitor) as unique_users
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz
  group by 1)
select coalesce(d.text, '') as text, r."total_events"::float8 as "total_events", r."unique_event_types"::float8 as "unique_event_types", r."unique_users"::float8 as "unique_users", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("total_events") over () as whole, count(*) over () as total_rows from grouped order by "total_events" desc, "unique_event_types" desc, "unique_users" desc fetch first $4 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $5;

-- from facts, filtered by path and country
with grouped as (
  select e.path as value, count(*) as total_events, count(distinct e.name) as unique_event_types,
    count(distinct e.visitor) as unique_users
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.path = any($4::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $5 and s.last_at >= $6::timestamptz and s.first_at < $7::timestamptz and s.entered_at is not null and "s"."country" = any($8::int[]))
  group by 1)
select coalesce(d.text, '') as text, r."total_events"::float8 as "total_events", r."unique_event_types"::float8 as "unique_event_types", r."unique_users"::float8 as "unique_users", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("total_events") over () as whole, count(*) over () as total_rows from grouped order by "total_events" desc, "unique_event_types" desc, "unique_users" desc fetch first $9 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $10;
