-- from days
select totals.*, array_send(bins) as added_bins, null::bytea as subtracted_bins
from (
select width_bucket(day, $1::date[]) as bucket, sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events
from "websites_v1"."website_daily" where website = $2 and day between $3::date and $4::date group by 1) totals
left join (
  select width_bucket(day, $5::date[]) as bucket, bins from "websites_v1"."session_durations"
  where website = $6 and span = 1 and day between $7::date and $8::date
) durations using (bucket);
