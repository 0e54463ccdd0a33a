-- from facts
with grouped as (
  select e.path as value, e.metric, count(*) as samples, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz
  group by 1, 2
)
select coalesce(d.text, '') as text, r.metric, r.samples::float8 as samples, r.percentiles,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "samples" desc fetch first $5 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $6;

-- from facts, filtered by path and country
with grouped as (
  select e.path as value, e.metric, count(*) as samples, percentile_disc($1::float8[]) within group (order by e.micros)::float8[] as percentiles
  from "websites_v1"."vitals" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz and e.path = any($5::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.entered_at is not null and "s"."country" = any($9::int[]))
  group by 1, 2
)
select coalesce(d.text, '') as text, r.metric, r.samples::float8 as samples, r.percentiles,
  r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "samples" desc fetch first $10 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $11;
