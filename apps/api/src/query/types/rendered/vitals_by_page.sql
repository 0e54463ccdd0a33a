-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", "metric", sum(b.sign * "samples") as "samples" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "metric", "samples"::float8 as "samples" from "websites_v1"."page_vitals"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t
  group by "value", "metric") each_value
  where "samples" >= $6 order by "samples" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."samples"::float8 as "samples", r."metric"::float8 as "metric", r.total_rows::float8 as total_rows, bins.*
from pages r
left join dictionary d on d.id = r.value and r.value <> $8
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select "bins" as bins from "websites_v1"."page_vitals"
    where website = $12 and span = b.span and day = b.day and value = r.value and metric = r.metric offset 0
  ) t) bins;
