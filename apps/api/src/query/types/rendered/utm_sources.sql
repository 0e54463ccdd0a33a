-- from days
with pages as (
  select *, count(*) over () as total_rows, (
    select coalesce(sum("visitors"), 0)::float8
    from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select 0 as value, "visitors"::float8 as "visitors" from "websites_v1"."website_visitors"
    where website = $9 and span = b.span and day = b.day and previous_day >= $10::date offset 0
  ) t) each_block
  ) as whole from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($11::smallint[], $12::date[], $13::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."utm_sources"
    where website = $14 and span = b.span and day = b.day and previous_day = $15::date and value > $16 offset 0
  ) t
  group by "value") each_value
  where "pageviews" >= $17 order by "pageviews" desc fetch first $18 rows with ties
)
select coalesce(d.text, '') as text, r."pageviews"::float8 as "pageviews", r."visitors"::float8 as "visitors", r.whole::float8 as whole, r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("pageviews", 0) as "pageviews", coalesce("visitors", 0) as "visitors", whole
  from pages
  left join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_sources"
    where website = $22 and span = b.span and day = b.day and previous_day = $23::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($24::smallint[], $25::date[], $26::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_sources"
    where website = $27 and span = b.span and day = b.day and previous_day >= $28::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) "part_1" using (value) order by "pageviews" desc, "visitors" desc fetch first $29 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $30;
