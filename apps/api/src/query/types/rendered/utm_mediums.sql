-- from days
with pages as (
  select *, count(*) over () as total_rows, (select sum(case value when $1 then visitors else -visitors end)
    from (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($2::smallint[], $3::date[], $4::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_mediums"
    where website = $5 and span = b.span and day = b.day and previous_day = $6::date and value in ($7, $8) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_mediums"
    where website = $12 and span = b.span and day = b.day and previous_day >= $13::date and value in ($14, $15) group by 1 offset 0
  ) t) each_block
  group by value) every) as whole from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($16::smallint[], $17::date[], $18::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."utm_mediums"
    where website = $19 and span = b.span and day = b.day and previous_day = $20::date and value > $21 offset 0
  ) t
  group by "value") each_value
  where "pageviews" >= $22 order by "pageviews" desc fetch first $23 rows with ties
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
  unnest($24::smallint[], $25::date[], $26::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_mediums"
    where website = $27 and span = b.span and day = b.day and previous_day = $28::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($29::smallint[], $30::date[], $31::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_mediums"
    where website = $32 and span = b.span and day = b.day and previous_day >= $33::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) "part_1" using (value) order by "pageviews" desc, "visitors" desc fetch first $34 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $35;
