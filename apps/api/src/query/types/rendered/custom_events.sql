-- from days
with pages as (
  select *, count(*) over () as total_rows, sum("total_events") over () as whole from (
  select "value" as value, sum(total_events) as "total_events", sum(events_with_properties) as "events_with_properties", min(first_at) as "first_occurrence", max(last_at) as "last_occurrence"
  from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "total_events", "events_with_properties", "first_at", "last_at" from "websites_v1"."custom_events_daily"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t group by "value") each_value
  where "total_events" >= $6 order by "total_events" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."total_events"::float8 as "total_events", r."events_with_properties"::float8 as "events_with_properties", r."first_occurrence", r."last_occurrence", r."unique_users"::float8 as "unique_users", r."unique_sessions"::float8 as "unique_sessions", r.whole::float8 as whole, r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("total_events", 0) as "total_events", coalesce("events_with_properties", 0) as "events_with_properties", "first_occurrence", "last_occurrence", coalesce("unique_users", 0) as "unique_users", coalesce("unique_sessions", 0) as "unique_sessions", whole
  from pages
  left join (
  select value, "distinct_count" as "unique_users"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_users"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_users"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_1" using (value)
  left join (
  select value, "distinct_count" as "unique_sessions"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($18::smallint[], $19::date[], $20::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_sessions"
    where website = $21 and span = b.span and day = b.day and previous_day = $22::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_sessions"
    where website = $26 and span = b.span and day = b.day and previous_day >= $27::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_2" using (value) order by "total_events" desc, "unique_users" desc, "unique_sessions" desc, "events_with_properties" desc fetch first $28 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $29;
