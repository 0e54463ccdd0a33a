-- from days
with pages as (
  with top as (
    select value, pageviews as page_views, count(*) over () as total_rows from (
  select value, sum(b.sign * added) as "pageviews" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "pageviews"::float8 as added from "websites_v1"."top_pages"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by value having sum(b.sign * added) > 0) views
    where pageviews >= $7 order by "pageviews" desc fetch first $8 rows with ties
  )
  select value, page_views, coalesce(visitors, 0) as visitors, total_rows
  from top left join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($9::smallint[], $10::date[], $11::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_pages"
    where website = $12 and span = b.span and day = b.day and previous_day = $13::date and value = any(array(select value from top)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($14::smallint[], $15::date[], $16::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("visitors")::float8 as "visitors" from "websites_v1"."top_pages"
    where website = $17 and span = b.span and day = b.day and previous_day >= $18::date and value = any(array(select value from top)) group by 1 offset 0
  ) t) each_block
  group by value) counted using (value)
)
select listed.*, first_interactions.*
from (
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."value"::float8 as "value", r.total_rows::float8 as total_rows
from (select * from (
  select * from pages
  left join (
  select "value", sum(b.sign * "time_ms") as "time_ms", sum(b.sign * "timed") as "timed", sum(b.sign * "scroll") as "scroll", sum(b.sign * "scrolled") as "scrolled", sum(b.sign * "interactions") as "interactions", sum(b.sign * "interacted") as "interacted" from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "time_ms"::float8 as "time_ms", "timed"::float8 as "timed", "scroll"::float8 as "scroll", "scrolled"::float8 as "scrolled", "interactions"::float8 as "interactions", "interacted"::float8 as "interacted" from "websites_v1"."page_visits"
    where website = $22 and span = b.span and day = b.day and previous_day = $23::date and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") visits using (value)
  left join (
  select "value", sum(b.sign * "active_ms") as "active_ms", sum(b.sign * "active") as "active", sum(b.sign * "attentive_ms") as "attentive_ms", sum(b.sign * "attended_ms") as "attended_ms" from 
  unnest($24::smallint[], $25::date[], $26::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "active_ms"::float8 as "active_ms", "active"::float8 as "active", "attentive_ms"::float8 as "attentive_ms", "attended_ms"::float8 as "attended_ms" from "websites_v1"."page_events"
    where website = $27 and span = b.span and day = b.day and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") spans using (value)) grouped order by "page_views" desc fetch first $28 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $29) listed
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($30::smallint[], $31::date[], $32::int[]) as b(span, day, sign)
  cross join lateral (
    select "first_interaction_bins" as bins from "websites_v1"."page_events"
    where website = $33 and span = b.span and day = b.day and value = listed.value::integer offset 0
  ) t) first_interactions;
