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
