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
