-- from days
with known as (
  select *, count(*) over () as total_rows, (
    select coalesce(sum("visitors"), 0)::float8
    from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $9 and span = b.span and day = b.day and previous_day >= $10::date offset 0
  ) t) each_block
  ) as whole from (
  select "value", sum(b.sign * "timed") as "timed" from 
  unnest($11::smallint[], $12::date[], $13::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "timed"::float8 as "timed" from "websites_v1"."page_visits"
    where website = $14 and span = b.span and day = b.day and previous_day = $15::date and value > $16 offset 0
  ) t
  group by "value") each_value
  where "timed" >= $17
), likely as (
  select value from known order by "timed" desc limit $18
), likely_counted as (
  select value, sum("timed_sessions") as "timed_sessions", sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_sessions" as "timed_sessions", b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $22 and span = b.span and day = b.day and previous_day = $23::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($24::smallint[], $25::date[], $26::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $27 and span = b.span and day = b.day and previous_day >= $28::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t) each_block
  group by value
), pages as (
  select * from known where "timed" >= (
    select coalesce(min(coalesce("timed_sessions", 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (
  select value, sum("timed_sessions") as "timed_sessions", sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_sessions" as "timed_sessions", b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($29::smallint[], $30::date[], $31::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $32 and span = b.span and day = b.day and previous_day = $33::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($34::smallint[], $35::date[], $36::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $37 and span = b.span and day = b.day and previous_day >= $38::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select coalesce(d.text, '') as text, r."timed"::float8 as "timed", r."sessions_with_time"::float8 as "sessions_with_time", r."visitors"::float8 as "visitors", r.whole::float8 as whole, r.total_rows::float8 as total_rows, bins.*
from (
  select value, total_rows, coalesce("timed", 0) as "timed", coalesce("sessions_with_time", 0) as "sessions_with_time", coalesce("visitors", 0) as "visitors", whole
  from pages
  left join (
  select value, "timed_sessions" as "sessions_with_time", "timed_visitors" as "visitors"
  from (select * from counted) named) "part_1" using (value) order by "sessions_with_time" desc, "visitors" desc fetch first $39 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $40
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($41::smallint[], $42::date[], $43::int[]) as b(span, day, sign)
  cross join lateral (
    select "time_bins" as bins from "websites_v1"."page_visits"
    where website = $44 and span = b.span and day = b.day and previous_day = $45::date and value = r.value offset 0
  ) t) bins;
