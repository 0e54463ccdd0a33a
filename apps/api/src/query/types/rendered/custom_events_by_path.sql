-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select value, "custom_events" as "total_events"
  from (
  select "value", sum(b.sign * "custom_events") as "custom_events" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "custom_events"::float8 as "custom_events" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t
  group by "value") named) each_value
  where "total_events" >= $6 order by "total_events" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."total_events"::float8 as "total_events", r."unique_event_types"::float8 as "unique_event_types", r."unique_users"::float8 as "unique_users", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("total_events", 0) as "total_events", coalesce("unique_event_types", 0) as "unique_event_types", coalesce("unique_users", 0) as "unique_users"
  from pages
  left join (
  select value, count(*) as "unique_event_types" from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $11 and span = b.span and day = b.day and kind = $12 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") texts
  where times > 0 group by value) "part_1" using (value)
  left join (
  select value, "distinct_count" as "unique_users"
  from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_page_users"
    where website = $16 and span = b.span and day = b.day and previous_day = $17::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($18::smallint[], $19::date[], $20::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."custom_event_page_users"
    where website = $21 and span = b.span and day = b.day and previous_day >= $22::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_2" using (value) order by "total_events" desc, "unique_event_types" desc, "unique_users" desc fetch first $23 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $24;
