-- from days
with added as (
  select value, sum(b.sign * added) as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "pageviews"::float8 as added from "websites_v1"."countries"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by value having sum(b.sign * added) > 0
), top as (
  select *, count(*) over () as total_rows from added order by "pageviews" desc fetch first $7 rows with ties
), counted as (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."countries"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(
      select value from top union all select unnest($13::int[]))) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."countries"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(
      select value from top union all select unnest($19::int[]))) group by 1 offset 0
  ) t) each_block
  group by value
), whole as (
  select sum(case value when $20 then visitors else -visitors end) as whole
  from counted where value in ($21, $22)
)
select coalesce(d.text, '') as text, "pageviews", coalesce(visitors, 0) as visitors, whole,
  total_rows::float8 as total_rows
from top left join counted using (value) cross join whole
left join dictionary d on d.id = value and value <> $23;

-- from facts
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select "s"."country" as grouped, s.visitor, case when s.first_at >= $1::timestamptz and s.last_at < $2::timestamptz then s.pageviews else (
      select count(*)::integer from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $3 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $4 and h.at >= $5::timestamptz and h.at < $6::timestamptz
    ) end as views
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.pageviews > 0 and s.entered_at is not null) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) counted
  ) named where true)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("visitors") over () as whole, count(*) over () as total_rows from grouped order by "pageviews" desc, "visitors" desc fetch first $10 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $11;

-- from facts, filtered by path and country
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (select h.grouped, h.visitor, 1 as views from (
    select "s"."country" as grouped, s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.pageviews > 0 and s.entered_at is not null
  ) h
  where h.kind = $5 and h.at >= $6::timestamptz and h.at < $7::timestamptz and h.path = any($8::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) counted
  ) named where true)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("visitors") over () as whole, count(*) over () as total_rows from grouped order by "pageviews" desc, "visitors" desc fetch first $9 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $10;
