-- from days
with medians as (
  select grouped, min(bin) as median_bin
  from (
    select grouped, bin, sum(sessions) over (partition by grouped order by bin) as reached,
      sum(sessions) over (partition by grouped) as total
    from (
    select 0 as grouped, bin, sum(sessions) as sessions
    from "websites_v1"."session_durations" where website = $1 and day between $2::date and $3::date group by bin having sum(sessions) > 0) counted
  ) cumulated
  where reached > floor((total - 1) / 2)
  group by grouped
)
select sum(pageviews)::float8 as pageviews, (
  select coalesce(sum(visitors), 0)::float8 from "websites_v1"."website_visitors"
  where website = $4 and day between $5::date and $6::date and previous_day < $7::date) as visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events + outgoing_links)::float8 as actions
from "websites_v1"."website_daily" where website = $8 and day between $9::date and $10::date;

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
), visits as (
  select count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms, percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events from "websites_v1"."sessions" s
  where s.website = $14 and s.last_at >= $15::timestamptz and s.first_at < $16::timestamptz
  and s.entered_at >= $17::timestamptz and s.entered_at < $18::timestamptz
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors, visits.*,
  (
  select sum(
    case when s.first_at >= $19::timestamptz and s.last_at < $20::timestamptz then s.custom_events + s.outgoing_links
    else (
      select count(*) from unnest(s.hit_at, s.hit_kind) as h(at, kind)
      where h.kind in ($21, $22) and h.at >= $23::timestamptz and h.at < $24::timestamptz
    ) end
  )::float8
  from "websites_v1"."sessions" s
  where s.website = $25 and s.last_at >= $26::timestamptz and s.first_at < $27::timestamptz and s.custom_events + s.outgoing_links > 0) as actions
from visits;

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
), visits as (
  select count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms, percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[])
  and s.entered_at >= $13::timestamptz and s.entered_at < $14::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = $15 and h.path = any($16::int[]))
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as visitors, visits.*,
  (
  select count(*)::float8 from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $17 and s.last_at >= $18::timestamptz and s.first_at < $19::timestamptz and s.entered_at is not null and "s"."country" = any($20::int[])
  and h.kind in ($21, $22) and h.at >= $23::timestamptz and h.at < $24::timestamptz and h.path = any($25::int[]) and s.custom_events + s.outgoing_links > 0) as actions
from visits;
