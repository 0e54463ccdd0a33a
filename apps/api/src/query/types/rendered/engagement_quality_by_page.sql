-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select value, "pageviews" as "page_views"
  from (
  select "value", sum(b.sign * "pageviews") as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "pageviews"::float8 as "pageviews" from "websites_v1"."top_pages"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") named) each_value
  where "page_views" >= $7 order by "page_views" desc fetch first $8 rows with ties
)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r.total_rows::float8 as total_rows, bins.*
from (
  select value, total_rows, coalesce("page_views", 0) as "page_views", coalesce("time_ms", 0) as "time_ms", coalesce("timed", 0) as "timed", coalesce("scroll", 0) as "scroll", coalesce("scrolled", 0) as "scrolled", coalesce("interactions", 0) as "interactions", coalesce("interacted", 0) as "interacted", coalesce("active_ms", 0) as "active_ms", coalesce("active", 0) as "active", coalesce("attentive_ms", 0) as "attentive_ms", coalesce("attended_ms", 0) as "attended_ms"
  from pages
  left join (
  select "value", sum(b.sign * "time_ms") as "time_ms", sum(b.sign * "timed") as "timed", sum(b.sign * "scroll") as "scroll", sum(b.sign * "scrolled") as "scrolled", sum(b.sign * "interactions") as "interactions", sum(b.sign * "interacted") as "interacted" from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "time_ms"::float8 as "time_ms", "timed"::float8 as "timed", "scroll"::float8 as "scroll", "scrolled"::float8 as "scrolled", "interactions"::float8 as "interactions", "interacted"::float8 as "interacted" from "websites_v1"."page_visits"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") "part_1" using (value)
  left join (
  select "value", sum(b.sign * "active_ms") as "active_ms", sum(b.sign * "active") as "active", sum(b.sign * "attentive_ms") as "attentive_ms", sum(b.sign * "attended_ms") as "attended_ms" from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "active_ms"::float8 as "active_ms", "active"::float8 as "active", "attentive_ms"::float8 as "attentive_ms", "attended_ms"::float8 as "attended_ms" from "websites_v1"."page_events"
    where website = $17 and span = b.span and day = b.day and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") "part_2" using (value) order by "page_views" desc fetch first $18 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $19
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($20::smallint[], $21::date[], $22::int[]) as b(span, day, sign)
  cross join lateral (
    select "first_interaction_bins" as bins from "websites_v1"."page_events"
    where website = $23 and span = b.span and day = b.day and value = r.value offset 0
  ) t) bins;
