-- from days
select r.*, bins.*
from (
  select "metric", sum(b.sign * "samples") as "samples", sum(b.sign * "micros") as "micros" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "metric", "samples"::float8 as "samples", "micros"::float8 as "micros" from "websites_v1"."page_vitals"
    where website = $4 and span = b.span and day = b.day and value = $5 offset 0
  ) t
  group by "metric") r cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select "bins" as bins from "websites_v1"."page_vitals"
    where website = $9 and span = b.span and day = b.day and value = $10 and metric = r.metric offset 0
  ) t) bins
where r.samples >= $11;
