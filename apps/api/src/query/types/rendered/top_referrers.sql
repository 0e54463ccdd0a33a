-- from days
with pages as (
  select *, count(*) over () as total_rows, (
    select coalesce(sum("visitors"), 0)::float8
    from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value = $6 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $10 and span = b.span and day = b.day and previous_day >= $11::date and value = $12 group by 1 offset 0
  ) t) each_block
  ) - (
    select coalesce(sum("visitors"), 0)::float8
    from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $16 and span = b.span and day = b.day and previous_day = $17::date and value = $18 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $22 and span = b.span and day = b.day and previous_day >= $23::date and value = $24 group by 1 offset 0
  ) t) each_block
  ) as whole from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($25::smallint[], $26::date[], $27::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."top_referrers"
    where website = $28 and span = b.span and day = b.day and previous_day = $29::date and value > $30 offset 0
  ) t
  group by "value") each_value
  where "pageviews" >= $31 order by "pageviews" desc fetch first $32 rows with ties
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
  unnest($33::smallint[], $34::date[], $35::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $36 and span = b.span and day = b.day and previous_day = $37::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($38::smallint[], $39::date[], $40::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_referrers"
    where website = $41 and span = b.span and day = b.day and previous_day >= $42::date and value = any(array(select value from pages)) group by 1 offset 0
  ) t) each_block
  group by value) "part_1" using (value) order by "pageviews" desc, "visitors" desc fetch first $43 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $44;
