-- from days
select value::float8 as place, sessions::float8 as sessions, coalesce(visitors, 0)::float8 as visitors
from (
  select "value", sum(b.sign * "sessions") as "sessions" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "sessions"::float8 as "sessions" from "websites_v1"."session_duration_ranges"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") by_sessions left join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."session_duration_ranges"
    where website = $10 and span = b.span and day = b.day and previous_day = $11::date and value > $12 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."session_duration_ranges"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value > $18 group by 1 offset 0
  ) t) each_block
  group by value) by_visitors using (value)
where sessions > 0
order by value;
