-- from days
with pages as (
  select *, count(*) over () as total_rows, sum("total_clicks") over () as whole from (
  select "value" as value, sum(total_clicks) as "total_clicks", max(last_at) as "last_clicked", (array_agg(text order by last_click collate "C" desc))[1] as "label"
  from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "total_clicks", "last_at", "text", "last_click" from "websites_v1"."outbound_links_daily"
    where website = $4 and span = b.span and day = b.day and total_clicks > 0 and value > $5 offset 0
  ) t group by "value") each_value
  where "total_clicks" >= $6 order by "total_clicks" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."total_clicks"::float8 as "total_clicks", r."last_clicked", (select text from dictionary where id = r."label") as "label", r."unique_users"::float8 as "unique_users", r."unique_sessions"::float8 as "unique_sessions", r.whole::float8 as whole, r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("total_clicks", 0) as "total_clicks", "last_clicked", "label", coalesce("unique_users", 0) as "unique_users", coalesce("unique_sessions", 0) as "unique_sessions", whole
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
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."outbound_link_users"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."outbound_link_users"
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
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."outbound_link_sessions"
    where website = $21 and span = b.span and day = b.day and previous_day = $22::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."outbound_link_sessions"
    where website = $26 and span = b.span and day = b.day and previous_day >= $27::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) named) "part_2" using (value) order by "total_clicks" desc, "unique_users" desc, "unique_sessions" desc fetch first $28 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $29;
