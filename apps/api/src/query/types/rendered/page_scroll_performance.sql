-- from days
with known as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "scrolled") as "scrolled", sum(b.sign * "scroll") as "scroll" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "scrolled"::float8 as "scrolled", "scroll"::float8 as "scroll" from "websites_v1"."page_visits"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") each_value
  where "scrolled" >= $7
), likely as (
  select value from known order by "scrolled" desc limit $8
), likely_counted as (
  select value, sum("scrolled_visitors") as "scrolled_visitors", sum("scrolled_sessions") as "scrolled_sessions"
  from (
    select value, b.sign * "scrolled_visitors" as "scrolled_visitors", b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t) each_block
  group by value
), pages as (
  select * from known where "scrolled" >= (
    select coalesce(min(coalesce("scrolled_visitors", 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (
  select value, sum("scrolled_visitors") as "scrolled_visitors", sum("scrolled_sessions") as "scrolled_sessions"
  from (
    select value, b.sign * "scrolled_visitors" as "scrolled_visitors", b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $22 and span = b.span and day = b.day and previous_day = $23::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($24::smallint[], $25::date[], $26::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $27 and span = b.span and day = b.day and previous_day >= $28::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select coalesce(d.text, '') as text, r."scrolled"::float8 as "scrolled", r."scroll"::float8 as "scroll", r."visitors"::float8 as "visitors", r."sessions"::float8 as "sessions", r."pageviews"::float8 as "pageviews", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("scrolled", 0) as "scrolled", coalesce("scroll", 0) as "scroll", coalesce("visitors", 0) as "visitors", coalesce("sessions", 0) as "sessions", coalesce("pageviews", 0) as "pageviews"
  from pages
  left join (
  select value, "scrolled_visitors" as "visitors", "scrolled_sessions" as "sessions"
  from (select * from counted) named) "part_1" using (value)
  left join (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($29::smallint[], $30::date[], $31::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."top_pages"
    where website = $32 and span = b.span and day = b.day and previous_day = $33::date and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") "part_2" using (value) order by "visitors" desc, "sessions" desc, "pageviews" desc fetch first $34 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $35;
