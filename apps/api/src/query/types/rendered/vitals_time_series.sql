-- from days
select width_bucket(day, $1::date[]) as bucket, metric, samples::float8 as samples,
  array_send(bins) as added_bins, null::bytea as subtracted_bins
from "websites_v1"."page_vitals"
where website = $2 and span = 1 and day between $3::date and $4::date
  and value = $5;

-- from facts
select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, e.metric, count(*)::float8 as samples, percentile_disc($3::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $4 and e.at >= $5::timestamptz and e.at < $6::timestamptz
group by 1, 2 order by 1, 2;

-- from facts, filtered by path and country
select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, e.metric, count(*)::float8 as samples, percentile_disc($3::float8[]) within group (order by e.micros)::float8[] as percentiles
from "websites_v1"."vitals" e
  where e.website = $4 and e.at >= $5::timestamptz and e.at < $6::timestamptz and e.path = any($7::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $8 and s.last_at >= $9::timestamptz and s.first_at < $10::timestamptz and s.entered_at is not null and "s"."country" = any($11::int[]))
group by 1, 2 order by 1, 2;
