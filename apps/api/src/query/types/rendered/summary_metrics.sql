-- from days
with medians as (
  with coarse as (
    select 0 as grouped, day, bin, sessions::float8 as sessions from "websites_v1"."session_durations"
    where website = $1 and width = $2 and day between $3::date and $4::date
  ), reached as (
    select grouped, bin, sum(sessions) as sessions, sum(sum(sessions)) over (partition by grouped order by bin) as reached,
      floor((sum(sum(sessions)) over (partition by grouped) - 1) / 2) as rank
    from coarse group by grouped, bin
  ), fine as (
    select grouped, f.bin,
      sum(sum(f.sessions)) over (partition by grouped order by f.bin) > min(rank - reached + reached.sessions) as is_beyond
    from reached join coarse using (grouped, bin)
    cross join lateral (
      select bin, sessions::float8 as sessions from "websites_v1"."session_durations"
      where website = $5 and width = 1 and day = coarse.day
        and bin between coarse.bin and coarse.bin + $6 offset 0
    ) f
    where reached > rank and reached - reached.sessions <= rank
    group by grouped, f.bin
  )
  select grouped, min(bin) as median_bin from fine where is_beyond group by grouped
)
select sum(pageviews)::float8 as pageviews, (
  select coalesce(sum(visitors), 0)
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $10 and span = b.span and day = b.day and previous_day = $11::date offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($12::smallint[], $13::date[], $14::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $15 and span = b.span and day = b.day and previous_day >= $16::date offset 0
  ) t) each_block) as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events + outgoing_links)::float8 as actions
from "websites_v1"."website_daily" where website = $17 and day between $18::date and $19::date;

-- from facts
select sum(pageviews)::float8 as pageviews, (count(visitor) filter (where pageviews > 0))::float8 as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(actions)::float8 as actions,
  (select percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  and s.entered_at >= $4::timestamptz and s.entered_at < $5::timestamptz)
from (
  select s.visitor, sum(case when s.first_at >= $6::timestamptz and s.last_at < $7::timestamptz then s.pageviews else (
      select count(*)::integer from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $8 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $9 and h.at >= $10::timestamptz and h.at < $11::timestamptz
    ) end) as pageviews, count(*) filter (where s.pageviews > 0 and s.entered_at >= $12::timestamptz and s.entered_at < $13::timestamptz) as sessions,
    count(*) filter (where s.bounced and s.pageviews > 0 and s.entered_at >= $14::timestamptz and s.entered_at < $15::timestamptz) as bounces, sum(
    case when s.first_at >= $16::timestamptz and s.last_at < $17::timestamptz then s.custom_events + s.outgoing_links else (
      select count(*)::integer from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $18 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind in ($19, $20) and h.at >= $21::timestamptz and h.at < $22::timestamptz
    ) end) as actions
  from "websites_v1"."sessions" s
  where s.website = $23 and s.last_at >= $24::timestamptz and s.first_at < $25::timestamptz
  group by s.visitor
) each_visitor;

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
), visits as (
  select count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events, percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[])
  and s.entered_at >= $13::timestamptz and s.entered_at < $14::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $15 and h.path = any($16::int[]))
)
select (select pageviews from views)::float8 as pageviews, (select visitors from views)::float8 as unique_visitors, visits.*,
  ((select count(*) from (
    select s.session, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $17 and s.last_at >= $18::timestamptz and s.first_at < $19::timestamptz and s.entered_at is not null and "s"."country" = any($20::int[]) and s.custom_events + s.outgoing_links > 0
  ) h
  where h.kind in ($21, $22) and h.at >= $23::timestamptz and h.at < $24::timestamptz and h.path = any($25::int[])))::float8 as actions
from visits;
