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
    select coalesce(sum("visitors"), 0)::float8
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
  ) t) each_block
  ) as unique_visitors,
  sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
  (select median_bin::float8 from medians) as median_bin,
  sum(custom_events)::float8 as custom_events, sum(outgoing_links)::float8 as outgoing_links
from "websites_v1"."website_daily" where website = $17 and day between $18::date and $19::date;
