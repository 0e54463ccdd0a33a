-- from days
with grouped as (
  select value, label, total_clicks, last_at,
    coalesce(users.distinct_count, 0) as unique_users, coalesce(visits.distinct_count, 0) as unique_sessions
  from (
    select value, sum(total_clicks) as total_clicks, max(last_at) as last_at,
      (array_agg(text order by last_click collate "C" desc))[1] as label
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, total_clicks, last_at, text, last_click from "websites_v1"."outbound_links_daily"
    where website = $4 and span = b.span and day = b.day and total_clicks > 0 offset 0
  ) t
    group by value
  ) totals
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($5::smallint[], $6::date[], $7::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_link_users"
    where website = $8 and span = b.span and day = b.day and previous_day = $9::date offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($10::smallint[], $11::date[], $12::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_link_users"
    where website = $13 and span = b.span and day = b.day and previous_day >= $14::date offset 0
  ) t) each_block
  group by value) users using (value)
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($15::smallint[], $16::date[], $17::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_link_sessions"
    where website = $18 and span = b.span and day = b.day and previous_day = $19::date offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($20::smallint[], $21::date[], $22::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_link_sessions"
    where website = $23 and span = b.span and day = b.day and previous_day >= $24::date offset 0
  ) t) each_block
  group by value) visits using (value)
)
select href.text as href, coalesce(label.text, '') as text, total_clicks::float8 as total_clicks,
  unique_users::float8 as unique_users, unique_sessions::float8 as unique_sessions, last_at as last_clicked,
  whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum(total_clicks) over () as whole, count(*) over () as total_rows from grouped order by "total_clicks" desc, "unique_users" desc, "unique_sessions" desc fetch first $25 rows with ties
) r
left join dictionary href on href.id = r.value
left join dictionary label on label.id = r.label;
