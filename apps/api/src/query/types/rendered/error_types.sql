-- from facts
with grouped as (
  select e.error_type as value, count(*) as count, count(distinct e.visitor) as users, max(e.at) as last_seen
  from "websites_v1"."errors" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz
  group by 1
)
select coalesce(d.text, '') as text, r.count::float8 as count, r.users::float8 as users, r.last_seen,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "count" desc, "users" desc fetch first $4 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $5;

-- from facts, filtered by path and country
with grouped as (
  select e.error_type as value, count(*) as count, count(distinct e.visitor) as users, max(e.at) as last_seen
  from "websites_v1"."errors" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.path = any($4::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $5 and s.last_at >= $6::timestamptz and s.first_at < $7::timestamptz and s.entered_at is not null and "s"."country" = any($8::int[]))
  group by 1
)
select coalesce(d.text, '') as text, r.count::float8 as count, r.users::float8 as users, r.last_seen,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "count" desc, "users" desc fetch first $9 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $10;
