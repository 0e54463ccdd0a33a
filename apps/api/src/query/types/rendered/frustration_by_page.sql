-- from facts
with grouped as (
  select views.grouped as value, views.pageviews as page_views, views.visitors,
    coalesce(spans.rage_clicks, 0) as rage_clicks, coalesce(spans.dead_clicks, 0) as dead_clicks,
    coalesce(failed.errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
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
    select e.path, sum(e.rage_clicks) as rage_clicks, sum(e.dead_clicks) as dead_clicks
    from "websites_v1"."engagement_spans" e
  where e.website = $41 and e.at >= $42::timestamptz and e.at < $43::timestamptz group by e.path
  ) spans on spans.path = views.grouped
  left join (
    select e.path, count(*) as errors from "websites_v1"."errors" e
  where e.website = $44 and e.at >= $45::timestamptz and e.at < $46::timestamptz group by e.path
  ) failed on failed.path = views.grouped
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select e.path, "e"."rage_target" as target, sum("e"."rage_clicks") as times
    from "websites_v1"."engagement_spans" e
  where e.website = $47 and e.at >= $48::timestamptz and e.at < $49::timestamptz and "e"."rage_clicks" > 0 and "e"."rage_target" <> $50
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") rage on rage.path = views.grouped
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select e.path, "e"."dead_target" as target, sum("e"."dead_clicks") as times
    from "websites_v1"."engagement_spans" e
  where e.website = $51 and e.at >= $52::timestamptz and e.at < $53::timestamptz and "e"."dead_clicks" > 0 and "e"."dead_target" <> $54
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") dead on dead.path = views.grouped
  where views.pageviews >= $55)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target"
from (select * from grouped order by "page_views" desc, "visitors" desc fetch first $56 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $57;

-- from facts, filtered by path and country
with grouped as (
  select views.grouped as value, views.pageviews as page_views, views.visitors,
    coalesce(spans.rage_clicks, 0) as rage_clicks, coalesce(spans.dead_clicks, 0) as dead_clicks,
    coalesce(failed.errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
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
    select e.path, sum(e.rage_clicks) as rage_clicks, sum(e.dead_clicks) as dead_clicks
    from "websites_v1"."engagement_spans" e
  where e.website = $10 and e.at >= $11::timestamptz and e.at < $12::timestamptz and e.path = any($13::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $14 and s.last_at >= $15::timestamptz and s.first_at < $16::timestamptz and s.entered_at is not null and "s"."country" = any($17::int[])) group by e.path
  ) spans on spans.path = views.grouped
  left join (
    select e.path, count(*) as errors from "websites_v1"."errors" e
  where e.website = $18 and e.at >= $19::timestamptz and e.at < $20::timestamptz and e.path = any($21::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $22 and s.last_at >= $23::timestamptz and s.first_at < $24::timestamptz and s.entered_at is not null and "s"."country" = any($25::int[])) group by e.path
  ) failed on failed.path = views.grouped
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select e.path, "e"."rage_target" as target, sum("e"."rage_clicks") as times
    from "websites_v1"."engagement_spans" e
  where e.website = $26 and e.at >= $27::timestamptz and e.at < $28::timestamptz and e.path = any($29::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $30 and s.last_at >= $31::timestamptz and s.first_at < $32::timestamptz and s.entered_at is not null and "s"."country" = any($33::int[])) and "e"."rage_clicks" > 0 and "e"."rage_target" <> $34
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") rage on rage.path = views.grouped
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select e.path, "e"."dead_target" as target, sum("e"."dead_clicks") as times
    from "websites_v1"."engagement_spans" e
  where e.website = $35 and e.at >= $36::timestamptz and e.at < $37::timestamptz and e.path = any($38::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $39 and s.last_at >= $40::timestamptz and s.first_at < $41::timestamptz and s.entered_at is not null and "s"."country" = any($42::int[])) and "e"."dead_clicks" > 0 and "e"."dead_target" <> $43
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") dead on dead.path = views.grouped
  where views.pageviews >= $44)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target"
from (select * from grouped order by "page_views" desc, "visitors" desc fetch first $45 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $46;
