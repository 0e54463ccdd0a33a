-- from days
with known as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "scrolled") as "scrolled", sum(b.sign * "scroll") as "scroll" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "scrolled"::float8 as "scrolled", "scroll"::float8 as "scroll" from "websites_v1"."page_visits"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") s where "scrolled" > 0
), likely as (
  select value from known order by "scrolled" desc limit $7
), likely_counted as (
  select value, sum("scrolled_visitors") as "scrolled_visitors", sum("scrolled_sessions") as "scrolled_sessions"
  from (
    select value, b.sign * "scrolled_visitors" as "scrolled_visitors", b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value = any(array(select value from likely)) group by 1 offset 0
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
  unnest($18::smallint[], $19::date[], $20::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $21 and span = b.span and day = b.day and previous_day = $22::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $26 and span = b.span and day = b.day and previous_day >= $27::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select coalesce(d.text, '') as text, r."visitors"::float8 as "visitors", r."sessions"::float8 as "sessions", r."pageviews"::float8 as "pageviews", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r.total_rows::float8 as total_rows
from (select * from (
  select value, scroll, scrolled, total_rows, coalesce(scrolled_visitors, 0) as visitors,
    coalesce(scrolled_sessions, 0) as sessions, coalesce(pageviews, 0) as pageviews
  from pages left join counted using (value)
  left join (
  select value, sum(b.sign * added) as "pageviews" from 
  unnest($28::smallint[], $29::date[], $30::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "pageviews"::float8 as added from "websites_v1"."top_pages"
    where website = $31 and span = b.span and day = b.day and previous_day = $32::date and value > $33 and value = any(array(select value from pages)) offset 0
  ) t
  group by value having sum(b.sign * added) > 0) views using (value)) grouped order by "visitors" desc, "sessions" desc, "pageviews" desc fetch first $34 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $35;
