-- from days
select width_bucket(day, $1::date[]) as bucket, metric, samples::float8 as samples,
  case when samples >= $2 then array_send(bins) end as added_bins, null::bytea as subtracted_bins
from "websites_v1"."page_vitals"
where website = $3 and span = 1 and day between $4::date and $5::date
  and value = $6;

-- from facts
select bucket, metric, samples, case when samples >= $1 then percentiles end as percentiles
from (
  select ($2::int[])[width_bucket(e.at, ($3::timestamptz[]))] as bucket, e.metric, count(*)::float8 as samples, percentile_disc($4::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $5 and e.at >= $6::timestamptz and e.at < $7::timestamptz
  group by 1, 2
) measured order by 1, 2;

-- from facts, filtered by path and country
select bucket, metric, samples, case when samples >= $1 then percentiles end as percentiles
from (
  select ($2::int[])[width_bucket(e.at, ($3::timestamptz[]))] as bucket, e.metric, count(*)::float8 as samples, percentile_disc($4::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $5 and e.at >= $6::timestamptz and e.at < $7::timestamptz and e.path = any($8::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[]))
  group by 1, 2
) measured order by 1, 2;
