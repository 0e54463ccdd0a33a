-- from facts
with sent as (
  select e.name, e.properties, count(*) as times
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count,
    sum(case jsonb_typeof(p.value) when 'number' then times else 0 end) as numbers,
    sum(case jsonb_typeof(p.value) when 'number' then p.value::numeric * times end) as added
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
), counted as (
  select coalesce(d.text, '') as name, property_key, property_value, count, count(*) over () as total_rows,
    sum(numbers) over (partition by grouped.name, property_key) as numeric_count, sum(added) over (partition by grouped.name, property_key) as numeric_sum
  from grouped left join dictionary d on d.id = grouped.name
)
select name, property_key, property_value, count::float8 as count,
  numeric_count::float8 as numeric_count, case when abs(numeric_sum) <= $4::numeric then round(numeric_sum, 300)::float8 end as numeric_sum,
  case when abs((numeric_sum / nullif(numeric_count, 0))) <= $5::numeric then round((numeric_sum / nullif(numeric_count, 0)), 300)::float8 end as numeric_average, total_rows::float8 as total_rows
from (
  select * from counted order by count desc, numeric_count desc, "name" collate "C", "property_key" collate "C", "property_value" collate "C" limit $6
) r;

-- from facts, filtered by path and country
with sent as (
  select e.name, e.properties, count(*) as times
  from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and "e"."path" = any($4::int[])
  and exists (
    select from "websites_v1"."sessions" s
    where s.website = e.website and s.actor = e.actor and s.session = e.session and s.entered_at is not null and "s"."country" <> all($5::int[])
  ) and e.properties is not null
  group by e.name, e.properties
), grouped as (
  select sent.name, p.key as property_key, coalesce(p.value #>> '{}', 'null') as property_value, sum(times) as count,
    sum(case jsonb_typeof(p.value) when 'number' then times else 0 end) as numbers,
    sum(case jsonb_typeof(p.value) when 'number' then p.value::numeric * times end) as added
  from sent cross join lateral jsonb_each(sent.properties) p
  group by 1, 2, 3
), counted as (
  select coalesce(d.text, '') as name, property_key, property_value, count, count(*) over () as total_rows,
    sum(numbers) over (partition by grouped.name, property_key) as numeric_count, sum(added) over (partition by grouped.name, property_key) as numeric_sum
  from grouped left join dictionary d on d.id = grouped.name
)
select name, property_key, property_value, count::float8 as count,
  numeric_count::float8 as numeric_count, case when abs(numeric_sum) <= $6::numeric then round(numeric_sum, 300)::float8 end as numeric_sum,
  case when abs((numeric_sum / nullif(numeric_count, 0))) <= $7::numeric then round((numeric_sum / nullif(numeric_count, 0)), 300)::float8 end as numeric_average, total_rows::float8 as total_rows
from (
  select * from counted order by count desc, numeric_count desc, "name" collate "C", "property_key" collate "C", "property_value" collate "C" limit $8
) r;
