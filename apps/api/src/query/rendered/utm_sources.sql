-- from days
with grouped as (
  select value, sum(pageviews) as pageviews,
    coalesce(sum(visitors) filter (where previous_day < $1::date), 0) as visitors
  from "websites_v1"."utm_sources"
  where website = $2 and day between $3::date and $4::date and value <> 0
  group by value having sum(pageviews) > 0)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $5 rows with ties) r
left join words w on w.id = r.value and r.value <> $6;

-- from facts
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select "s"."utm_source" as grouped, s.visitor, s.pageviews as views
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.pageviews > 0 and s.entered_at is not null and s.first_at >= $4::timestamptz and s.last_at < $5::timestamptz
    union all
    select "s"."utm_source" as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz
  and h.kind = $9 and h.at >= $10::timestamptz and h.at < $11::timestamptz and s.pageviews > 0 and s.entered_at is not null and not (s.first_at >= $12::timestamptz and s.last_at < $13::timestamptz)) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped) counted
  ) named where true and value <> 0)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $14 rows with ties) r
left join words w on w.id = r.value and r.value <> $15;

-- from facts, filtered by path and country
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select "s"."utm_source" as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[])
  and h.kind = $5 and h.at >= $6::timestamptz and h.at < $7::timestamptz and h.path = any($8::int[]) and s.pageviews > 0 and s.entered_at is not null) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped) counted
  ) named where true and value <> 0)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $9 rows with ties) r
left join words w on w.id = r.value and r.value <> $10;
