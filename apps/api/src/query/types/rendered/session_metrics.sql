-- from days
with totals as (
select width_bucket(day, $1::date[]) as bucket, sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events
from "websites_v1"."website_daily" where website = $2 and day between $3::date and $4::date group by 1
), medians as (
  with coarse as (
    select width_bucket(day, $5::date[]) as grouped, day, bin, sessions::float8 as sessions from "websites_v1"."session_durations"
    where website = $6 and width = $7 and day between $8::date and $9::date
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
      where website = $10 and width = 1 and day = coarse.day
        and bin between coarse.bin and coarse.bin + $11 offset 0
    ) f
    where reached > rank and reached - reached.sessions <= rank
    group by grouped, f.bin
  )
  select grouped, min(bin) as median_bin from fine where is_beyond group by grouped
)
select totals.*, median_bin::float8 as median_bin from totals left join medians on grouped = bucket;

-- from facts
with found as materialized (
  select s.*, case when s.last_at < ($1::timestamptz[])[s.first_stretch + 1] then 0 else 1 end as is_across
  from (
    select s.website, s.visitor, s.session, s.last_at, s.entered_at, s.bounced, s.duration_ms,
      s.pageviews, s.custom_events, s.outgoing_links, width_bucket(s.first_at, ($2::timestamptz[])) as first_stretch
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.pageviews > 0 offset 0
  ) s
), views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select ($6::int[])[s.first_stretch] as grouped, s.visitor, s.pageviews as views
    from found s where s.is_across <> 1
    union all select ($7::int[])[width_bucket(h.at, ($8::timestamptz[]))] as grouped, h.visitor, 1 as views
    from (
    select s.visitor, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind"
    from found s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = $9 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
    where true and s.is_across = 1
  ) h
  where h.kind = $10 and h.at >= $11::timestamptz and h.at < $12::timestamptz) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped
), visits as (
  select ($13::int[])[case when s.is_across = 1 then width_bucket(s.entered_at, ($14::timestamptz[])) else s.first_stretch end] as grouped, count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events, percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms
  from found s
  where s.entered_at >= $15::timestamptz and s.entered_at < $16::timestamptz
  group by 1
)
select grouped as bucket, pageviews::float8 as pageviews, visitors::float8 as visitors, visits.*
from views full join visits using (grouped);

-- from facts, filtered by path and country
with views as (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select ($1::int[])[width_bucket(h.at, ($2::timestamptz[]))] as grouped, h.visitor, 1 as views
    from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.entered_at is not null and "s"."country" = any($6::int[]) and s.pageviews > 0
  ) h
  where h.kind = $7 and h.at >= $8::timestamptz and h.at < $9::timestamptz and h.path = any($10::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped
), visits as (
  select ($11::int[])[width_bucket(s.entered_at, ($12::timestamptz[]))] as grouped, count(*)::float8 as sessions, sum(s.bounced::int)::float8 as bounces,
    sum(s.duration_ms)::float8 as duration_ms,
    sum(s.pageviews + s.custom_events + s.outgoing_links)::float8 as session_events, percentile_disc(0.5) within group (order by s.duration_ms)::float8 as median_ms
  from "websites_v1"."sessions" s
  where s.website = $13 and s.last_at >= $14::timestamptz and s.first_at < $15::timestamptz and s.entered_at is not null and "s"."country" = any($16::int[])
  and s.entered_at >= $17::timestamptz and s.entered_at < $18::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $19 and h.path = any($20::int[]))
  group by 1
)
select grouped as bucket, pageviews::float8 as pageviews, visitors::float8 as visitors, visits.*
from views full join visits using (grouped);
