-- from days
select sum(errors) filter (where kind = $1) as total_errors,
  (count(*) filter (where kind = $2))::float8 as unique_errors,
  (
    select coalesce(sum("distinct_count"), 0)::float8
    from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($3::smallint[], $4::date[], $5::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $6 and span = b.span and day = b.day and previous_day = $7::date and value = $8 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."error_users"
    where website = $12 and span = b.span and day = b.day and previous_day >= $13::date and value = $14 group by 1 offset 0
  ) t) each_block
  ) as affected_users,
  (
    select coalesce(sum("distinct_count"), 0)::float8
    from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($15::smallint[], $16::date[], $17::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."affected_sessions"
    where website = $18 and span = b.span and day = b.day and previous_day = $19::date and value = $20 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($21::smallint[], $22::date[], $23::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."affected_sessions"
    where website = $24 and span = b.span and day = b.day and previous_day >= $25::date and value = $26 group by 1 offset 0
  ) t) each_block
  ) as affected_sessions,
  (
    select sum(sessions)::float8 from "websites_v1"."website_daily"
    where website = $27 and day between $28::date and $29::date
  ) as sessions, (
    select sum(sessions)::float8 from "websites_v1"."error_sessions"
    where website = $30 and day between $31::date and $32::date
  ) as failed_sessions
from (
  select "kind", "value", sum(b.sign * "errors") as "errors" from 
  unnest($33::smallint[], $34::date[], $35::int[]) as b(span, day, sign)
  cross join lateral (
    select "kind", "value", "errors"::float8 as "errors" from "websites_v1"."error_texts"
    where website = $36 and span = b.span and day = b.day offset 0
  ) t
  group by "kind", "value") texts
where errors > 0;
