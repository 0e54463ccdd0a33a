-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."screen_resolutions"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") each_value
  where "pageviews" >= $7 order by "pageviews" desc fetch first $8 rows with ties
)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("pageviews", 0) as "pageviews", coalesce("visitors", 0) as "visitors"
  from pages
  left join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."screen_resolutions"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."screen_resolutions"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) "part_1" using (value) order by "pageviews" desc, "visitors" desc fetch first $19 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $20;
