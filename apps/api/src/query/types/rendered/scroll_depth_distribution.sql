-- from days
select value::float8 as place, sessions::float8 as sessions, coalesce(visitors, 0)::float8 as visitors,
  (
    select coalesce(sum("distinct_count"), 0)::float8
    from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value = $6 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $10 and span = b.span and day = b.day and previous_day >= $11::date and value = $12 group by 1 offset 0
  ) t) each_block
  ) as whole
from (
  select value, "distinct_count" as "sessions"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $16 and span = b.span and day = b.day and previous_day = $17::date and value <= $18 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $22 and span = b.span and day = b.day and previous_day >= $23::date and value <= $24 group by 1 offset 0
  ) t) each_block
  group by value) named) by_sessions left join (
  select value, "distinct_count" as "visitors"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($25::smallint[], $26::date[], $27::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_visitors"
    where website = $28 and span = b.span and day = b.day and previous_day = $29::date and value <= $30 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($31::smallint[], $32::date[], $33::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_visitors"
    where website = $34 and span = b.span and day = b.day and previous_day >= $35::date and value <= $36 group by 1 offset 0
  ) t) each_block
  group by value) named) by_visitors using (value)
where sessions > 0
order by value;
