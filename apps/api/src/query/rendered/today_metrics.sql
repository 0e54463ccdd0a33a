-- from days
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from "websites_v1"."website_daily" where website = $1 and day = $2::date;

-- from facts
with views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select 0 as grouped, s.visitor, s.pageviews as views
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.pageviews > 0 and s.first_at >= $4::timestamptz and s.last_at < $5::timestamptz
    union all
    select 0 as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz
  and h.kind = $9 and h.at >= $10::timestamptz and h.at < $11::timestamptz and s.pageviews > 0 and not (s.first_at >= $12::timestamptz and s.last_at < $13::timestamptz)) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from "websites_v1"."sessions" s
  where s.website = $14 and s.last_at >= $15::timestamptz and s.first_at < $16::timestamptz
  and s.entered_at >= $17::timestamptz and s.entered_at < $18::timestamptz)::float8 as sessions;

-- from facts, filtered by path and country
with views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select 0 as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[])
  and h.kind = $5 and h.at >= $6::timestamptz and h.at < $7::timestamptz and h.path = any($8::int[]) and s.pageviews > 0) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors,
  (select count(*) from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[])
  and s.entered_at >= $13::timestamptz and s.entered_at < $14::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = $15 and h.path = any($16::int[])))::float8 as sessions;
