-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value" as value, sum(errors) as "count", max(last_at) as "last_seen"
  from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "errors", "last_at" from "websites_v1"."error_texts"
    where website = $4 and span = b.span and day = b.day and kind = $5 and value > $6 offset 0
  ) t group by "value") each_value
  where "count" >= $7 order by "count" desc fetch first $8 rows with ties
)
select coalesce(d.text, '') as text, r."count"::float8 as "count", r."last_seen", r."users"::float8 as "users", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("count", 0) as "count", "last_seen", coalesce("users", 0) as "users"
  from pages
  left join (
  select value, "distinct_count" as "users"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_1" using (value) order by "count" desc, "users" desc fetch first $19 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $20;
