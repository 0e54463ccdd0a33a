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
select * from (
with grouped as (
  select pages.*, coalesce(rage_clicks, 0) as rage_clicks, coalesce(dead_clicks, 0) as dead_clicks,
    coalesce(errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
  from pages left join (
  select "value", sum(b.sign * "rage_clicks") as "rage_clicks", sum(b.sign * "dead_clicks") as "dead_clicks", sum(b.sign * "errors") as "errors" from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "rage_clicks"::float8 as "rage_clicks", "dead_clicks"::float8 as "dead_clicks", "errors"::float8 as "errors" from "websites_v1"."page_events"
    where website = $22 and span = b.span and day = b.day and value = any(array(select value from pages)) offset 0
  ) t
  group by "value") events using (value)
  left join (
    select distinct on (c.path) c.path, c.target
    from (select value as path, text as target, times from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $26 and span = b.span and day = b.day and kind = $27 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") texts where times > 0) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") rage on rage.path = value
  left join (
    select distinct on (c.path) c.path, c.target
    from (select value as path, text as target, times from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($28::smallint[], $29::date[], $30::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $31 and span = b.span and day = b.day and kind = $32 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") texts where times > 0) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") dead on dead.path = value)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc, "visitors" desc fetch first $33 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $34) listed;

-- from facts
with frustrating as materialized (
  select e.path, e.rage_clicks, e.dead_clicks, e.rage_target, e.dead_target, e.errors
  from (
    select website, at, visitor, session, path, rage_clicks, dead_clicks, rage_target, dead_target, 0 as errors
    from "websites_v1"."engagement_spans" where rage_clicks > 0 or dead_clicks > 0
    union all
    select website, at, visitor, session, path, 0, 0, $1, $2, 1 from "websites_v1"."errors"
  ) e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz
)
select * from (
with grouped as (
  select views.*, coalesce(events.rage_clicks, 0) as rage_clicks, coalesce(events.dead_clicks, 0) as dead_clicks,
    coalesce(events.errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
  from (
  select grouped as value, pageviews as page_views, visitors, count(*) over () as total_rows from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select unnest(
      case when s.first_at >= $6::timestamptz and s.last_at < $7::timestamptz and s.entered_at is not null then (array[s.entry_path, s.exit_path])[:s.pageviews]
      else (
      select array_agg(h.path) from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $8 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $9 and h.at >= $10::timestamptz and h.at < $11::timestamptz
    ) end
    ) as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  where s.website = $12 and s.last_at >= $13::timestamptz and s.first_at < $14::timestamptz and s.pageviews >= 1 and s.pageviews <= 2
    union all 
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $15 and s.last_at >= $16::timestamptz and s.first_at < $17::timestamptz and s.pageviews >= $18::int
  ) h
  where h.kind = $19 and h.at >= $20::timestamptz and h.at < $21::timestamptz) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  where pageviews >= $22) views
  left join (
    select path, sum(rage_clicks) as rage_clicks, sum(dead_clicks) as dead_clicks, sum(errors) as errors
    from frustrating group by path
  ) events on events.path = views.value
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, "rage_target" as target, sum("rage_clicks") as times
    from frustrating where "rage_clicks" > 0 and "rage_target" <> $23
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") rage on rage.path = views.value
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, "dead_target" as target, sum("dead_clicks") as times
    from frustrating where "dead_clicks" > 0 and "dead_target" <> $24
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") dead on dead.path = views.value)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc, "visitors" desc fetch first $25 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $26) listed;

-- from facts, filtered by path and country
with frustrating as materialized (
  select e.path, e.rage_clicks, e.dead_clicks, e.rage_target, e.dead_target, e.errors
  from (
    select website, at, visitor, session, path, rage_clicks, dead_clicks, rage_target, dead_target, 0 as errors
    from "websites_v1"."engagement_spans" where rage_clicks > 0 or dead_clicks > 0
    union all
    select website, at, visitor, session, path, 0, 0, $1, $2, 1 from "websites_v1"."errors"
  ) e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz and e.path = any($6::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.entered_at is not null and "s"."country" = any($10::int[]))
)
select * from (
with grouped as (
  select views.*, coalesce(events.rage_clicks, 0) as rage_clicks, coalesce(events.dead_clicks, 0) as dead_clicks,
    coalesce(events.errors, 0) as errors, rage.target as top_rage_click_target, dead.target as top_dead_click_target
  from (
  select grouped as value, pageviews as page_views, visitors, count(*) over () as total_rows from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $11 and s.last_at >= $12::timestamptz and s.first_at < $13::timestamptz and s.entered_at is not null and "s"."country" = any($14::int[]) and s.pageviews >= $15::int
  ) h
  where h.kind = $16 and h.at >= $17::timestamptz and h.at < $18::timestamptz and h.path = any($19::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  where pageviews >= $20) views
  left join (
    select path, sum(rage_clicks) as rage_clicks, sum(dead_clicks) as dead_clicks, sum(errors) as errors
    from frustrating group by path
  ) events on events.path = views.value
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, "rage_target" as target, sum("rage_clicks") as times
    from frustrating where "rage_clicks" > 0 and "rage_target" <> $21
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") rage on rage.path = views.value
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, "dead_target" as target, sum("dead_clicks") as times
    from frustrating where "dead_clicks" > 0 and "dead_target" <> $22
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") dead on dead.path = views.value)
select coalesce(d.text, '') as text, r."page_views"::float8 as "page_views", r."visitors"::float8 as "visitors", r."rage_clicks"::float8 as "rage_clicks", r."dead_clicks"::float8 as "dead_clicks", r."errors"::float8 as "errors", (select text from dictionary where id = r."top_dead_click_target") as "top_dead_click_target", (select text from dictionary where id = r."top_rage_click_target") as "top_rage_click_target", r.total_rows::float8 as total_rows
from (select * from grouped order by "page_views" desc, "visitors" desc fetch first $23 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $24) listed;
