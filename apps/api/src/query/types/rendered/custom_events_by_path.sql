-- from days
with pages as (
  select value, custom_events as total_events, count(*) over () as total_rows from (
  select "value", sum(b.sign * "custom_events") as "custom_events" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "custom_events"::float8 as "custom_events" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
  group by "value") events
  where custom_events > 0 order by "custom_events" desc fetch first $5 rows with ties
)
select coalesce(d.text, '') as text, r."total_events"::float8 as "total_events", r."unique_event_types"::float8 as "unique_event_types", r."unique_users"::float8 as "unique_users", r.total_rows::float8 as total_rows
from (select * from (
  select value, total_events, unique_event_types, coalesce(distinct_count, 0) as unique_users, total_rows
  from pages
  left join (
    select value, count(*) as unique_event_types from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $9 and span = b.span and day = b.day and kind = $10 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") names where times > 0 group by value
  ) types using (value)
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($11::smallint[], $12::date[], $13::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_page_users"
    where website = $14 and span = b.span and day = b.day and previous_day = $15::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($16::smallint[], $17::date[], $18::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_page_users"
    where website = $19 and span = b.span and day = b.day and previous_day >= $20::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) users using (value)) grouped order by "total_events" desc, "unique_event_types" desc, "unique_users" desc fetch first $21 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $22;
