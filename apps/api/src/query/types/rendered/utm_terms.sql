-- from days
with added as (
  select value, sum(b.sign * added) as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "pageviews"::float8 as added from "websites_v1"."utm_terms"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 and value <> $7 offset 0
  ) t
  group by value having sum(b.sign * added) > 0
), top as (
  select *, count(*) over () as total_rows from added order by "pageviews" desc fetch first $8 rows with ties
), counted as (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_terms"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(
      select value from top union all select unnest($14::int[]))) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($15::smallint[], $16::date[], $17::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."utm_terms"
    where website = $18 and span = b.span and day = b.day and previous_day >= $19::date and value = any(array(
      select value from top union all select unnest($20::int[]))) group by 1 offset 0
  ) t) each_block
  group by value
), whole as (
  select sum(case value when $21 then visitors else -visitors end) as whole
  from counted where value in ($22, $23)
)
select coalesce(d.text, '') as text, "pageviews", coalesce(visitors, 0) as visitors, whole,
  total_rows::float8 as total_rows
from top left join counted using (value) cross join whole
left join dictionary d on d.id = value and value <> $24;
