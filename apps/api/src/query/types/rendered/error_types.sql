-- from days
with grouped as (
  select value, count, coalesce(distinct_count, 0) as users, last_seen
  from (
    select value, sum(errors) as count, max(last_at) as last_seen
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, errors, last_at from "websites_v1"."error_texts"
    where website = $4 and span = b.span and day = b.day and kind = $5 offset 0
  ) t
    group by value
  ) types
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $9 and span = b.span and day = b.day and previous_day = $10::date and value > $11 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($12::smallint[], $13::date[], $14::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $15 and span = b.span and day = b.day and previous_day >= $16::date and value > $17 group by 1 offset 0
  ) t) each_block
  group by value) users using (value)
)
select coalesce(d.text, '') as text, r.count::float8 as count, r.users::float8 as users, r.last_seen,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "count" desc, "users" desc fetch first $18 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $19;
