-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "errors") as "errors" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "errors"::float8 as "errors" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t
  group by "value") each_value
  where "errors" >= $6 order by "errors" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."errors"::float8 as "errors", r."users"::float8 as "users", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("errors", 0) as "errors", coalesce("users", 0) as "users"
  from pages
  left join (
  select value, "distinct_count" as "users"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_page_users"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_page_users"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_1" using (value) order by "errors" desc, "users" desc fetch first $18 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $19;
