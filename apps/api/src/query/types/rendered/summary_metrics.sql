-- from days
select totals.*, (
    select coalesce(sum("visitors"), 0)::float8
    from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $9 and span = b.span and day = b.day and previous_day >= $10::date offset 0
  ) t) each_block
  ) as unique_visitors, bins.*
from (
  select sum(pageviews)::float8 as pageviews, sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces,
    sum(custom_events)::float8 as custom_events, sum(outgoing_links)::float8 as outgoing_links
  from "websites_v1"."website_daily"
  where website = $11 and day between $12::date and $13::date
) totals cross join (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select "bins" as bins from "websites_v1"."session_durations"
    where website = $17 and span = b.span and day = b.day offset 0
  ) t) bins;
