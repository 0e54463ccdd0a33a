-- from days
select r.metric, r.samples, r.micros / r.samples as average, bins.*
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

-- from facts
select e.metric, count(*)::float8 as samples, avg(e.micros)::float8 as average, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz
group by e.metric having count(*) >= $5;

-- from facts, filtered by path and country
select e.metric, count(*)::float8 as samples, avg(e.micros)::float8 as average, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz and e.path = any($5::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.entered_at is not null and "s"."country" = any($9::int[]))
group by e.metric having count(*) >= $10;
