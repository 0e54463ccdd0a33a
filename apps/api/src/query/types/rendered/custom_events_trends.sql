-- from days
select width_bucket(day, $1::date[]) as bucket, "total_events"::float8 as "total_events", "unique_event_types"::float8 as "unique_event_types", 
  coalesce(users.distinct_count, 0)::float8 as "unique_users"
from (
  select day, sum(total_events) as "total_events", count(*) as "unique_event_types" from "websites_v1"."custom_events_daily" where website = $2 and span = 1
    and day between $3::date and $4::date and total_events > 0 group by day
) figures
left join (
  select day, distinct_count from "websites_v1"."custom_event_users"
  where website = $5 and span = 1
    and day between $6::date and $7::date and value = $8 and previous_day = $9::date
) users using (day);
