-- from facts
with sent as (
  select e.name, e.properties, count(*) as times
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
)
select coalesce(d.text, '') as name, property_key, property_value, count::float8 as count,
  total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "count" desc fetch first $4 rows with ties) r
left join dictionary d on d.id = r.name;

-- from facts, filtered by path and country
with sent as (
  select e.name, e.properties, count(*) as times
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.path = any($4::int[])
  and exists (
    select from "websites_v1"."sessions" s
    where s.website = e.website and s.actor = e.actor and s.session = e.session and s.entered_at is not null and "s"."country" = any($5::int[])
  ) and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
)
select coalesce(d.text, '') as name, property_key, property_value, count::float8 as count,
  total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "count" desc fetch first $6 rows with ties) r
left join dictionary d on d.id = r.name;
