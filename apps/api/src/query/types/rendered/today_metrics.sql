-- from days
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from "websites_v1"."website_daily" where website = $1 and day = $2::date;

-- from facts
with views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select 0 as grouped, s.visitor, case when s.first_at >= $1::timestamptz and s.last_at < $2::timestamptz then s.pageviews else (
      select count(*)::integer from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $3 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $4 and h.at >= $5::timestamptz and h.at < $6::timestamptz
    ) end as views
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.pageviews > 0) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from "websites_v1"."sessions" s
  where s.website = $10 and s.last_at >= $11::timestamptz and s.first_at < $12::timestamptz
  and s.entered_at >= $13::timestamptz and s.entered_at < $14::timestamptz)::float8 as sessions;

-- from facts, filtered by path and country
with views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (select h.grouped, h.visitor, 1 as views from (
    select 0 as grouped, s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.pageviews > 0
  ) h
  where h.kind = $5 and h.at >= $6::timestamptz and h.at < $7::timestamptz and h.path = any($8::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[])
  and s.entered_at >= $13::timestamptz and s.entered_at < $14::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $15 and h.path = any($16::int[])))::float8 as sessions;
