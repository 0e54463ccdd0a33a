-- from days
with counted as (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value in ($6, $7) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $11 and span = b.span and day = b.day and previous_day >= $12::date and value in ($13, $14) group by 1 offset 0
  ) t) each_block
  group by value
)
select interactions, (select distinct_count from counted where value = $15)::float8 as total_sessions,
  (select distinct_count from counted where value = $16)::float8 as interactive_sessions
from (
  select "value", sum(b.sign * "interactions") as "interactions" from 
  unnest($17::smallint[], $18::date[], $19::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "interactions"::float8 as "interactions" from "websites_v1"."page_visits"
    where website = $20 and span = b.span and day = b.day and previous_day = $21::date and value = $22 offset 0
  ) t
  group by "value") every;
