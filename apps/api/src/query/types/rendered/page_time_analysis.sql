-- from facts
with grouped as (
  select *, sum(visitors) over () as whole
  from (
    select v.path as value, count(distinct (v.visitor, v.session)) as sessions_with_time,
      count(distinct v.visitor) as visitors, percentile_disc(0.5) within group (order by v.time_ms) as median_ms
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
  where v.at >= $19::timestamptz and v.at < $20::timestamptz and v.time_ms >= 0
    group by v.path
  ) visits)
select coalesce(d.text, '') as text, r."sessions_with_time"::float8 as "sessions_with_time", r."visitors"::float8 as "visitors", r."median_ms"::float8 as "median_ms", r."whole"::float8 as "whole", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "sessions_with_time" desc, "visitors" desc fetch first $21 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $22;

-- from facts, filtered by path and country
with grouped as (
  select *, sum(visitors) over () as whole
  from (
    select v.path as value, count(distinct (v.visitor, v.session)) as sessions_with_time,
      count(distinct v.visitor) as visitors, percentile_disc(0.5) within group (order by v.time_ms) as median_ms
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
  where v.at >= $20::timestamptz and v.at < $21::timestamptz and v.path = any($22::int[]) and v.time_ms >= 0
    group by v.path
  ) visits)
select coalesce(d.text, '') as text, r."sessions_with_time"::float8 as "sessions_with_time", r."visitors"::float8 as "visitors", r."median_ms"::float8 as "median_ms", r."whole"::float8 as "whole", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "sessions_with_time" desc, "visitors" desc fetch first $23 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $24;
