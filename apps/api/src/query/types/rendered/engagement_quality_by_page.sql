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
with grouped as (
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
  group by "value") spans using (value))
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."value"::float8 as "value", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc fetch first $28 rows with ties) r
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

-- from facts
with grouped as (
  select *
  from (
  select grouped as value, pageviews as page_views, visitors, count(*) over () as total_rows from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select unnest(
      case when s.first_at >= $1::timestamptz and s.last_at < $2::timestamptz and s.entered_at is not null then (array[s.entry_path, s.exit_path])[:s.pageviews]
      else (
      select array_agg(h.path) from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $3 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $4 and h.at >= $5::timestamptz and h.at < $6::timestamptz
    ) end
    ) as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.pageviews >= 1 and s.pageviews <= 2
    union all 
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $10 and s.last_at >= $11::timestamptz and s.first_at < $12::timestamptz and s.pageviews >= $13::int
  ) h
  where h.kind = $14 and h.at >= $15::timestamptz and h.at < $16::timestamptz) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  where pageviews >= $17) views
  left join (
  select v.path as value, sum(greatest(v.time_ms, 0)) as time_ms, count(*) filter (where v.time_ms >= 0) as timed,
    sum(greatest(v.scroll, 0)) as scroll, count(*) filter (where v.scroll >= 0) as scrolled,
    sum(greatest(v.interactions, 0)) as interactions, count(*) filter (where v.interactions >= 0) as interacted
  from (
    select h.path, h.visitor, h.session, min(h.at) as at, max(case when h.kind = $18 then h.text else 0 end) as query,
      max(case when h.kind <> $19 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $20 then h.text % $21 else 0 end) - 1 as scroll,
      max(case when h.kind <> $22 then h.text / $23 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $24) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $25 and s.last_at >= $26::timestamptz and s.first_at < $27::timestamptz and s.hit_kind && array[$28, $29]::smallint[]
          and s.kind <> $30
      ) h
      where h.kind = $31 or h.kind in ($32, $33)
    ) h
    group by h.actor, h.session, h.visitor, h.path, h.views
    having bool_or(h.kind in ($34, $35))
  ) v
  where v.at >= $36::timestamptz and v.at < $37::timestamptz
  group by v.path) visits using (value)
  left join (
    select e.path as value, sum(e.active_ms) as active_ms, count(e.active_ms) as active,
      sum(e.active_ms) filter (where e.time_ms is not null) as attentive_ms,
      sum(e.time_ms) filter (where e.active_ms is not null) as attended_ms,
      percentile_disc(0.5) within group (order by e.first_interaction_ms) as first_interaction_ms
    from "websites_v1"."engagement_spans" e
  where e.website = $38 and e.at >= $39::timestamptz and e.at < $40::timestamptz
    group by e.path
  ) spans using (value))
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."first_interaction_ms"::float8 as "first_interaction_ms", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc fetch first $41 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $42;

-- from facts, filtered by path and country
with grouped as (
  select *
  from (
  select grouped as value, pageviews as page_views, visitors, count(*) over () as total_rows from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.pageviews >= $5::int
  ) h
  where h.kind = $6 and h.at >= $7::timestamptz and h.at < $8::timestamptz and h.path = any($9::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  where pageviews >= $10) views
  left join (
  select v.path as value, sum(greatest(v.time_ms, 0)) as time_ms, count(*) filter (where v.time_ms >= 0) as timed,
    sum(greatest(v.scroll, 0)) as scroll, count(*) filter (where v.scroll >= 0) as scrolled,
    sum(greatest(v.interactions, 0)) as interactions, count(*) filter (where v.interactions >= 0) as interacted
  from (
    select h.path, h.visitor, h.session, min(h.at) as at, max(case when h.kind = $11 then h.text else 0 end) as query,
      max(case when h.kind <> $12 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $13 then h.text % $14 else 0 end) - 1 as scroll,
      max(case when h.kind <> $15 then h.text / $16 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $17) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $18 and s.last_at >= $19::timestamptz and s.first_at < $20::timestamptz and s.entered_at is not null and "s"."country" = any($21::int[]) and s.hit_kind && array[$22, $23]::smallint[]
          and s.kind <> $24
      ) h
      where h.kind = $25 or h.kind in ($26, $27)
    ) h
    group by h.actor, h.session, h.visitor, h.path, h.views
    having bool_or(h.kind in ($28, $29))
  ) v
  where v.at >= $30::timestamptz and v.at < $31::timestamptz and v.path = any($32::int[])
  group by v.path) visits using (value)
  left join (
    select e.path as value, sum(e.active_ms) as active_ms, count(e.active_ms) as active,
      sum(e.active_ms) filter (where e.time_ms is not null) as attentive_ms,
      sum(e.time_ms) filter (where e.active_ms is not null) as attended_ms,
      percentile_disc(0.5) within group (order by e.first_interaction_ms) as first_interaction_ms
    from "websites_v1"."engagement_spans" e
  where e.website = $33 and e.at >= $34::timestamptz and e.at < $35::timestamptz and e.path = any($36::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $37 and s.last_at >= $38::timestamptz and s.first_at < $39::timestamptz and s.entered_at is not null and "s"."country" = any($40::int[]))
    group by e.path
  ) spans using (value))
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."first_interaction_ms"::float8 as "first_interaction_ms", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc fetch first $41 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $42;
