-- from days
with known as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "scrolled") as "scrolled", sum(b.sign * "scroll") as "scroll" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "scrolled"::float8 as "scrolled", "scroll"::float8 as "scroll" from "websites_v1"."page_visits"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by "value") s where "scrolled" > 0
), likely as (
  select value from known order by "scrolled" desc limit $7
), likely_counted as (
  select value, sum("scrolled_visitors") as "scrolled_visitors", sum("scrolled_sessions") as "scrolled_sessions"
  from (
    select value, b.sign * "scrolled_visitors" as "scrolled_visitors", b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $11 and span = b.span and day = b.day and previous_day = $12::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $16 and span = b.span and day = b.day and previous_day >= $17::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t) each_block
  group by value
), pages as (
  select * from known where "scrolled" >= (
    select coalesce(min(coalesce("scrolled_visitors", 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (
  select value, sum("scrolled_visitors") as "scrolled_visitors", sum("scrolled_sessions") as "scrolled_sessions"
  from (
    select value, b.sign * "scrolled_visitors" as "scrolled_visitors", b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($18::smallint[], $19::date[], $20::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $21 and span = b.span and day = b.day and previous_day = $22::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "scrolled_visitors" as "scrolled_visitors", -b.sign * "scrolled_sessions" as "scrolled_sessions"
    from 
  unnest($23::smallint[], $24::date[], $25::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("scrolled_visitors")::float8 as "scrolled_visitors", sum("scrolled_sessions")::float8 as "scrolled_sessions" from "websites_v1"."page_visits"
    where website = $26 and span = b.span and day = b.day and previous_day >= $27::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select * from (
with grouped as (
  select value, scroll, scrolled, total_rows, coalesce(scrolled_visitors, 0) as visitors,
    coalesce(scrolled_sessions, 0) as sessions, coalesce(pageviews, 0) as pageviews
  from pages left join counted using (value)
  left join (
  select value, sum(b.sign * added) as "pageviews" from 
  unnest($28::smallint[], $29::date[], $30::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "pageviews"::float8 as added from "websites_v1"."top_pages"
    where website = $31 and span = b.span and day = b.day and previous_day = $32::date and value > $33 and value = any(array(select value from pages)) offset 0
  ) t
  group by value having sum(b.sign * added) > 0) views using (value))
select coalesce(d.text, '') as text, r."visitors"::float8 as "visitors", r."sessions"::float8 as "sessions", r."pageviews"::float8 as "pageviews", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r.total_rows::float8 as total_rows
from (select * from grouped order by "visitors" desc, "sessions" desc, "pageviews" desc fetch first $34 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $35) listed;

-- from facts
with grouped as (
  select value, sum(scroll) as scroll, sum(scrolled) as scrolled, sum(sessions) as sessions, sum(visitors) as visitors,
    sum(pageviews) as pageviews
  from (
    select v.path as value, sum(v.scroll) as scroll, count(*) as scrolled, count(distinct (v.visitor, v.session)) as sessions,
      count(distinct v.visitor) as visitors, 0 as pageviews
    from (
    select h.path, h.visitor, h.session, min(h.at) as at, max(case when h.kind = $1 then h.text else 0 end) as query,
      max(case when h.kind <> $2 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $3 then h.text % $4 else 0 end) - 1 as scroll,
      max(case when h.kind <> $5 then h.text / $6 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $7) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $8 and s.last_at >= $9::timestamptz and s.first_at < $10::timestamptz and s.hit_kind && array[$11, $12]::smallint[]
          and s.kind <> $13
      ) h
      where h.kind = $14 or h.kind in ($15, $16)
    ) h
    group by h.actor, h.session, h.visitor, h.path, h.views
    having bool_or(h.kind in ($17, $18))
  ) v
  where v.at >= $19::timestamptz and v.at < $20::timestamptz and v.scroll >= 0
    group by v.path
    union all
    select grouped, 0, 0, 0, 0, pageviews from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select unnest(
      case when s.first_at >= $21::timestamptz and s.last_at < $22::timestamptz and s.entered_at is not null then (array[s.entry_path, s.exit_path])[:s.pageviews]
      else (
      select array_agg(h.path) from "websites_v1"."sessions" x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = $23 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and h.kind = $24 and h.at >= $25::timestamptz and h.at < $26::timestamptz
    ) end
    ) as grouped, s.visitor, 1 as views
    from "websites_v1"."sessions" s
  where s.website = $27 and s.last_at >= $28::timestamptz and s.first_at < $29::timestamptz and s.pageviews >= 1 and s.pageviews <= 2
    union all 
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $30 and s.last_at >= $31::timestamptz and s.first_at < $32::timestamptz and s.pageviews >= $33::int
  ) h
  where h.kind = $34 and h.at >= $35::timestamptz and h.at < $36::timestamptz) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  ) each_part
  group by value having sum(scrolled) > 0)
select coalesce(d.text, '') as text, r."visitors"::float8 as "visitors", r."sessions"::float8 as "sessions", r."pageviews"::float8 as "pageviews", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "visitors" desc, "sessions" desc, "pageviews" desc fetch first $37 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $38;

-- from facts, filtered by path and country
with grouped as (
  select value, sum(scroll) as scroll, sum(scrolled) as scrolled, sum(sessions) as sessions, sum(visitors) as visitors,
    sum(pageviews) as pageviews
  from (
    select v.path as value, sum(v.scroll) as scroll, count(*) as scrolled, count(distinct (v.visitor, v.session)) as sessions,
      count(distinct v.visitor) as visitors, 0 as pageviews
    from (
    select h.path, h.visitor, h.session, min(h.at) as at, max(case when h.kind = $1 then h.text else 0 end) as query,
      max(case when h.kind <> $2 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $3 then h.text % $4 else 0 end) - 1 as scroll,
      max(case when h.kind <> $5 then h.text / $6 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $7) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $8 and s.last_at >= $9::timestamptz and s.first_at < $10::timestamptz and s.entered_at is not null and "s"."country" = any($11::int[]) and s.hit_kind && array[$12, $13]::smallint[]
          and s.kind <> $14
      ) h
      where h.kind = $15 or h.kind in ($16, $17)
    ) h
    group by h.actor, h.session, h.visitor, h.path, h.views
    having bool_or(h.kind in ($18, $19))
  ) v
  where v.at >= $20::timestamptz and v.at < $21::timestamptz and v.path = any($22::int[]) and v.scroll >= 0
    group by v.path
    union all
    select grouped, 0, 0, 0, 0, pageviews from (
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (
    select h.path as grouped, h.visitor, 1 as views from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $23 and s.last_at >= $24::timestamptz and s.first_at < $25::timestamptz and s.entered_at is not null and "s"."country" = any($26::int[]) and s.pageviews >= $27::int
  ) h
  where h.kind = $28 and h.at >= $29::timestamptz and h.at < $30::timestamptz and h.path = any($31::int[])) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped) views
  ) each_part
  group by value having sum(scrolled) > 0)
select coalesce(d.text, '') as text, r."visitors"::float8 as "visitors", r."sessions"::float8 as "sessions", r."pageviews"::float8 as "pageviews", r."scroll"::float8 as "scroll", r."scrolled"::float8 as "scrolled", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "visitors" desc, "sessions" desc, "pageviews" desc fetch first $32 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $33;
