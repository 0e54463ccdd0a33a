-- from days
select metric, samples, micros / samples as average, bins
from (
  select metric, min(whole) as samples, array[min(bin) filter (where reached >= ceil($1::float8 * whole)), min(bin) filter (where reached >= ceil($2::float8 * whole)), min(bin) filter (where reached >= ceil($3::float8 * whole)), min(bin) filter (where reached >= ceil($4::float8 * whole)), min(bin) filter (where reached >= ceil($5::float8 * whole))]::float8[] as bins, sum(micros) as micros
  from (
    select *, sum(samples) over (partition by metric order by bin) as reached,
      sum(samples) over (partition by metric) as whole
    from (
  select "metric", "bin", sum(b.sign * "samples") as "samples", sum(b.sign * "micros") as "micros" from 
  unnest($6::smallint[], $7::date[], $8::int[]) as b(span, day, sign)
  cross join lateral (
    select "metric", "bin", "samples"::float8 as "samples", "micros"::float8 as "micros" from "websites_v1"."vital_bins"
    where website = $9 and span = b.span and day = b.day offset 0
  ) t
  group by "metric", "bin") h where samples > 0
  ) r
  group by metric) measured;

-- from facts
select e.metric, count(*)::float8 as samples, avg(e.micros)::float8 as average, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz
group by e.metric;

-- from facts, filtered by path and country
select e.metric, count(*)::float8 as samples, avg(e.micros)::float8 as average, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz and e.path = any($5::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.entered_at is not null and "s"."country" = any($9::int[]))
group by e.metric;
