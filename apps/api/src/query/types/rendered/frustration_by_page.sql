-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select value, "pageviews" as "page_views"
  from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."top_pages"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") named) each_value
  where "page_views" >= $7 order by "page_views" desc fetch first $8 rows with ties
)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("page_views", 0) as "page_views", coalesce("visitors", 0) as "visitors", coalesce("rage_clicks", 0) as "rage_clicks", coalesce("dead_clicks", 0) as "dead_clicks", coalesce("errors", 0) as "errors", "top_rage_click_target", "top_dead_click_target"
  from pages
  left join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_pages"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_pages"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) "part_1" using (value)
  left join (
  select "value", sum(b.sign * "rage_clicks") as "rage_clicks", sum(b.sign * "dead_clicks") as "dead_clicks", sum(b.sign * "errors") as "errors" from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "rage_clicks"::float8 as "rage_clicks", "dead_clicks"::float8 as "dead_clicks", "errors"::float8 as "errors" from "websites_v1"."page_events"
    where website = $22 and span = b.span and day = b.day and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") "part_2" using (value)
  left join (
  select distinct on (c.value) c.value, c.text as "top_rage_click_target"
  from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $26 and span = b.span and day = b.day and kind = $27 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") c join dictionary d on d.id = c.text
  where c.times > 0
  order by c.value, c.times desc, d.text collate "C") "part_3" using (value)
  left join (
  select distinct on (c.value) c.value, c.text as "top_dead_click_target"
  from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($28::smallint[], $29::date[], $30::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $31 and span = b.span and day = b.day and kind = $32 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") c join dictionary d on d.id = c.text
  where c.times > 0
  order by c.value, c.times desc, d.text collate "C") "part_4" using (value) order by "page_views" desc, "visitors" desc fetch first $33 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $34;
