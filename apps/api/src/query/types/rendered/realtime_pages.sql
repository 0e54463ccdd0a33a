-- from facts
with grouped as (
  select grouped as value, pageviews, visitors
  from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select unnest(
      case when s.first_at >= $1::timestamptz and s.last_at < $2::timestamptz and s.entered_at is not null then (array[s.entry_path, s.exit_path])[:s.pageviews]
      else (
      select array_agg(h.path) from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $3 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $4 and h.at >= $5::timestamptz and h.at < $6::timestamptz
    ) end
    ) as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.pageviews >= 1 and s.pageviews <= 2
    union all 
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $10 and s.last_at >= $11::timestamptz and s.first_at < $12::timestamptz and s.pageviews >= $13::int
  ) h
  where h.kind = $14 and h.at >= $15::timestamptz and h.at < $16::timestamptz) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) counted)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("visitors") over () as whole, count(*) over () as total_rows from grouped order by "pageviews" desc, "visitors" desc fetch first $17 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $18;

-- from facts, filtered by path and country
with grouped as (
  select grouped as value, pageviews, visitors
  from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.pageviews >= $5::int
  ) h
  where h.kind = $6 and h.at >= $7::timestamptz and h.at < $8::timestamptz and h.path = any($9::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) counted)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("visitors") over () as whole, count(*) over () as total_rows from grouped order by "pageviews" desc, "visitors" desc fetch first $10 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $11;
