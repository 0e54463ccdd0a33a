-- from days
select coalesce(d.text, '') as text, r.metric, r.samples, r.total_rows::float8 as total_rows, bins.*
from (
  select *, count(*) over () as total_rows from (
  select "value", "metric", sum(b.sign * "samples") as "samples" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "metric", "samples"::float8 as "samples" from "websites_v1"."page_vitals"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t
  group by "value", "metric") s where samples >= $6 order by "samples" desc fetch first $7 rows with ties
) r
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

-- from facts
with grouped as (
  select e.path as value, e.metric, count(*) as samples, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz
  group by 1, 2 having count(*) >= $5
)
select coalesce(d.text, '') as text, r.metric, r.samples::float8 as samples, r.percentiles,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "samples" desc fetch first $6 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $7;

-- from facts, filtered by path and country
with grouped as (
  select e.path as value, e.metric, count(*) as samples, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz and e.path = any($5::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.entered_at is not null and "s"."country" = any($9::int[]))
  group by 1, 2 having count(*) >= $10
)
select coalesce(d.text, '') as text, r.metric, r.samples::float8 as samples, r.percentiles,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "samples" desc fetch first $11 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $12;
