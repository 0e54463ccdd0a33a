-- from facts
with grouped as (
  select views.grouped as value, views.pageviews as page_views, visits.*, spans.*
  from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select s.entry_path as grouped, s.visitor, 1 as views from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.pageviews >= 1 and s.pageviews <= 2 and s.first_at >= $4::timestamptz and s.last_at < $5::timestamptz and s.entered_at is not null
    union all 
    select s.exit_path as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.pageviews = 2 and s.first_at >= $9::timestamptz and s.last_at < $10::timestamptz and s.entered_at is not null
    union all select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $11 and s.last_at >= $12::timestamptz and s.first_at < $13::timestamptz and s.pageviews >= $14::int
  ) h
  where h.kind = $15 and h.at >= $16::timestamptz and h.at < $17::timestamptz
    union all select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind", unnest("x"."hit_path") as "path"
    from "websites_v1"."sessions" s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = s.website and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
  where s.website = $18 and s.last_at >= $19::timestamptz and s.first_at < $20::timestamptz and s.pageviews >= 1 and s.pageviews <= 2 and s.first_at < $21::timestamptz and s.last_at < $22::timestamptz
  ) h
  where h.kind = $23 and h.at >= $24::timestamptz and h.at < $25::timestamptz
    union all select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind", unnest("x"."hit_path") as "path"
    from "websites_v1"."sessions" s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = s.website and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
  where s.website = $26 and s.last_at >= $27::timestamptz and s.first_at < $28::timestamptz and s.pageviews >= 1 and s.pageviews <= 2 and s.last_at >= $29::timestamptz
  ) h
  where h.kind = $30 and h.at >= $31::timestamptz and h.at < $32::timestamptz
    union all select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind", unnest("x"."hit_path") as "path"
    from "websites_v1"."sessions" s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = s.website and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
  where s.website = $33 and s.last_at >= $34::timestamptz and s.first_at < $35::timestamptz and s.pageviews >= 1 and s.pageviews <= 2 and s.first_at >= $36::timestamptz and s.last_at < $37::timestamptz and s.entered_at is null
  ) h
  where h.kind = $38 and h.at >= $39::timestamptz and h.at < $40::timestamptz) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped) views
  left join (
    select v.path as visited, sum(v.time_ms) filter (where v.time_ms >= 0) as time_ms,
      count(*) filter (where v.time_ms >= 0) as timed, sum(v.scroll) filter (where v.scroll >= 0) as scroll,
      count(*) filter (where v.scroll >= 0) as visits,
      sum(v.interactions) filter (where v.interactions >= 0) as interactions,
      count(*) filter (where v.interactions >= 0) as interacted
    from (
    select h.path, h.visitor, case when h.kind_of_session <> $41 then h.session end as session,
      min(h.at) as at, max(case when h.kind = $42 then h.text else 0 end) as query,
      max(case when h.kind <> $43 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $44 then h.text % $45 else 0 end) - 1 as scroll,
      max(case when h.kind <> $46 then h.text / $47 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $48) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, s.kind as kind_of_session, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $49 and s.last_at >= $50::timestamptz and s.first_at < $51::timestamptz and s.hit_kind && array[$52, $53]::smallint[]
      ) h
      where h.kind = $54 or h.kind in ($55, $56)
    ) h
    group by h.actor, h.session, h.visitor, h.kind_of_session, h.path, h.views
    having bool_or(h.kind in ($57, $58))
  ) v
  where v.at >= $59::timestamptz and v.at < $60::timestamptz
    group by v.path
  ) visits on visited = views.grouped
  left join (
    select e.path as engaged, sum(e.active_ms) as active_ms, count(e.active_ms) as active,
      sum(e.active_ms) filter (where e.time_ms is not null) as attentive_ms,
      sum(e.time_ms) filter (where e.active_ms is not null) as attended_ms,
      percentile_disc(0.5) within group (order by e.first_interaction_ms) as first_interaction_ms
    from "websites_v1"."engagement_spans" e
  where e.website = $61 and e.at >= $62::timestamptz and e.at < $63::timestamptz
    group by e.path
  ) spans on engaged = views.grouped
  where views.pageviews >= $64)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."visits"::float8 as "visits", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."first_interaction_ms"::float8 as "first_interaction_ms"
from (select * from grouped order by "page_views" desc fetch first $65 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $66;

-- from facts, filtered by path and country
with grouped as (
  select views.grouped as value, views.pageviews as page_views, visits.*, spans.*
  from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.pageviews >= $5::int
  ) h
  where h.kind = $6 and h.at >= $7::timestamptz and h.at < $8::timestamptz and h.path = any($9::int[])) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped) views
  left join (
    select v.path as visited, sum(v.time_ms) filter (where v.time_ms >= 0) as time_ms,
      count(*) filter (where v.time_ms >= 0) as timed, sum(v.scroll) filter (where v.scroll >= 0) as scroll,
      count(*) filter (where v.scroll >= 0) as visits,
      sum(v.interactions) filter (where v.interactions >= 0) as interactions,
      count(*) filter (where v.interactions >= 0) as interacted
    from (
    select h.path, h.visitor, case when h.kind_of_session <> $10 then h.session end as session,
      min(h.at) as at, max(case when h.kind = $11 then h.text else 0 end) as query,
      max(case when h.kind <> $12 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $13 then h.text % $14 else 0 end) - 1 as scroll,
      max(case when h.kind <> $15 then h.text / $16 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $17) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, s.kind as kind_of_session, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $18 and s.last_at >= $19::timestamptz and s.first_at < $20::timestamptz and s.entered_at is not null and "s"."country" = any($21::int[]) and s.hit_kind && array[$22, $23]::smallint[]
      ) h
      where h.kind = $24 or h.kind in ($25, $26)
    ) h
    group by h.actor, h.session, h.visitor, h.kind_of_session, h.path, h.views
    having bool_or(h.kind in ($27, $28))
  ) v
  where v.at >= $29::timestamptz and v.at < $30::timestamptz and v.path = any($31::int[])
    group by v.path
  ) visits on visited = views.grouped
  left join (
    select e.path as engaged, sum(e.active_ms) as active_ms, count(e.active_ms) as active,
      sum(e.active_ms) filter (where e.time_ms is not null) as attentive_ms,
      sum(e.time_ms) filter (where e.active_ms is not null) as attended_ms,
      percentile_disc(0.5) within group (order by e.first_interaction_ms) as first_interaction_ms
    from "websites_v1"."engagement_spans" e
  where e.website = $32 and e.at >= $33::timestamptz and e.at < $34::timestamptz and e.path = any($35::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $36 and s.last_at >= $37::timestamptz and s.first_at < $38::timestamptz and s.entered_at is not null and "s"."country" = any($39::int[]))
    group by e.path
  ) spans on engaged = views.grouped
  where views.pageviews >= $40)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."time_ms"::float8 as "time_ms", r."timed"::float8 as "timed", r."scroll"::float8 as "scroll", r."visits"::float8 as "visits", r."interactions"::float8 as "interactions", r."interacted"::float8 as "interacted", r."active_ms"::float8 as "active_ms", r."active"::float8 as "active", r."attentive_ms"::float8 as "attentive_ms", r."attended_ms"::float8 as "attended_ms", r."first_interaction_ms"::float8 as "first_interaction_ms"
from (select * from grouped order by "page_views" desc fetch first $41 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $42;
