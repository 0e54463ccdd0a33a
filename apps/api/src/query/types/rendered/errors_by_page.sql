-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "errors") as "errors" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "errors"::float8 as "errors" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
  group by "value") events where errors > 0 order by "errors" desc fetch first $5 rows with ties
)
select coalesce(d.text, '') as text, r."errors"::float8 as "errors", r."users"::float8 as "users", r.total_rows::float8 as total_rows
from (select * from (
  select value, errors, coalesce(distinct_count, 0) as users, total_rows from pages left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_page_users"
    where website = $9 and span = b.span and day = b.day and previous_day = $10::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($11::smallint[], $12::date[], $13::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_page_users"
    where website = $14 and span = b.span and day = b.day and previous_day >= $15::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) users using (value)) grouped order by "errors" desc, "users" desc fetch first $16 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $17;
