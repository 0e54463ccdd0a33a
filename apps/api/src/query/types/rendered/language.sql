-- from days
with top as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."languages"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") added
  where pageviews > 0 order by "pageviews" desc fetch first $7 rows with ties
), counted as (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."languages"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(
      select value from top union all select unnest($13::int[]))) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."languages"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(
      select value from top union all select unnest($19::int[]))) group by 1 offset 0
  ) t) each_block
  group by value
), whole as (
  select sum(case value when $20 then visitors else -visitors end) as whole
  from counted where value in ($21, $22)
)
select coalesce(d.text, '') as text, pageviews, coalesce(visitors, 0) as visitors, whole, total_rows::float8 as total_rows
from top left join counted using (value) cross join whole
left join dictionary d on d.id = value;
