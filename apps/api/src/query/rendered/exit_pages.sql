-- from days
with grouped as (
  select value, sum(pageviews) as pageviews,
    coalesce(sum(visitors) filter (where previous_day < $1::date), 0) as visitors
  from "websites_v1"."exit_pages"
  where website = $2 and day between $3::date and $4::date
  group by value having sum(pageviews) > 0)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $5 rows with ties) r
left join words w on w.id = r.value and r.value <> $6;

-- from facts
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select "s"."exit_path" as grouped, count(*) as pageviews, count(distinct s.visitor) as visitors
  from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  and s.entered_at >= $4::timestamptz and s.entered_at < $5::timestamptz
  group by 1) counted
  ) named where true)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $6 rows with ties) r
left join words w on w.id = r.value and r.value <> $7;

-- from facts, filtered by path and country
with grouped as (
  select * from (
    select grouped as value, pageviews, visitors
    from (
  select "s"."exit_path" as grouped, count(*) as pageviews, count(distinct s.visitor) as visitors
  from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[])
  and s.entered_at >= $5::timestamptz and s.entered_at < $6::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = $7 and h.path = any($8::int[]))
  group by 1) counted
  ) named where true)
select coalesce(w.word, '') as word, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole
from (select *, sum("visitors") over () as whole from grouped order by "pageviews" desc, "visitors" desc fetch first $9 rows with ties) r
left join words w on w.id = r.value and r.value <> $10;
