-- from days
select width_bucket(day, $1::date[]) as bucket, sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events
from "websites_v1"."website_daily" where website = $2 and day between $3::date and $4::date group by 1;

-- from hours
select ($1::int[])[width_bucket(hour, ($2::timestamptz[]))] as bucket, sum(pageviews)::float8 as pageviews, sum(visitors)::float8 as visitors,
    sum(sessions)::float8 as sessions, sum(bounces)::float8 as bounces, sum(duration_ms)::float8 as duration_ms,
    sum(session_events)::float8 as session_events
from "websites_v1"."website_hourly"
where website = $3 and hour >= $4::timestamptz and hour < $5::timestamptz
group by 1;
