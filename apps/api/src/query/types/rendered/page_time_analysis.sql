-- from days
with known as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "timed") as "timed" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "timed"::float8 as "timed" from "websites_v1"."page_visits"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") s where "timed" > 0
), likely as (
  select value from known order by "timed" desc limit $7
), likely_counted as (
  select value, sum("timed_sessions") as "timed_sessions", sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_sessions" as "timed_sessions", b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value = any(array(select value from likely)) group by 1 offset 0
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
  unnest($18::smallint[], $19::date[], $20::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $21 and span = b.span and day = b.day and previous_day = $22::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $26 and span = b.span and day = b.day and previous_day >= $27::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select listed.*, times.*
from (
select coalesce(d.text, '') as text, r."sessions_with_time"::float8 as "sessions_with_time", r."visitors"::float8 as "visitors", r."whole"::float8 as "whole", r."value"::float8 as "value", r.total_rows::float8 as total_rows
from (select * from (
  select value, total_rows, coalesce(timed_sessions, 0) as sessions_with_time, coalesce(timed_visitors, 0) as visitors,
    (select timed_visitors from (
  select "timed_visitors" from (
  select value, sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($28::smallint[], $29::date[], $30::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $31 and span = b.span and day = b.day and previous_day = $32::date and value = $33 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($34::smallint[], $35::date[], $36::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $37 and span = b.span and day = b.day and previous_day >= $38::date and value = $39 group by 1 offset 0
  ) t) each_block
  group by value) every) e) as whole
  from pages left join counted using (value)) grouped order by "sessions_with_time" desc, "visitors" desc fetch first $40 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $41) listed
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($42::smallint[], $43::date[], $44::int[]) as b(span, day, sign)
  cross join lateral (
    select "time_bins" as bins from "websites_v1"."page_visits"
    where website = $45 and span = b.span and day = b.day and previous_day = $46::date and value = listed.value::integer offset 0
  ) t) times;
