-- from facts
select sum(v.scroll)::float8 as scroll, count(*)::float8 as visits, count(distinct (v.visitor, v.session)) filter (where v.session is not null)::float8 as total_sessions,
  count(distinct v.visitor)::float8 as visitors
from (
    select h.path, h.visitor, case when h.kind_of_session <> $1 then h.session end as session,
      min(h.at) as at, max(case when h.kind = $2 then h.text else 0 end) as query,
      max(case when h.kind <> $3 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $4 then h.text % $5 else 0 end) - 1 as scroll,
      max(case when h.kind <> $6 then h.text / $7 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $8) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, s.kind as kind_of_session, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.hit_kind && array[$12, $13]::smallint[]
      ) h
      where h.kind = $14 or h.kind in ($15, $16)
    ) h
    group by h.actor, h.session, h.visitor, h.kind_of_session, h.path, h.views
    having bool_or(h.kind in ($17, $18))
  ) v
  where v.at >= $19::timestamptz and v.at < $20::timestamptz and v.scroll >= 0;

-- from facts, filtered by path and country
select sum(v.scroll)::float8 as scroll, count(*)::float8 as visits, count(distinct (v.visitor, v.session)) filter (where v.session is not null)::float8 as total_sessions,
  count(distinct v.visitor)::float8 as visitors
from (
    select h.path, h.visitor, case when h.kind_of_session <> $1 then h.session end as session,
      min(h.at) as at, max(case when h.kind = $2 then h.text else 0 end) as query,
      max(case when h.kind <> $3 then h.extra else -1 end) as time_ms,
      max(case when h.kind <> $4 then h.text % $5 else 0 end) - 1 as scroll,
      max(case when h.kind <> $6 then h.text / $7 else 0 end) - 1 as interactions
    from (
      select h.*, count(*) filter (where h.kind = $8) over (
        partition by h.actor, h.session, h.path order by h.at, h.id rows unbounded preceding) as views
      from (
        select s.actor, s.session, s.visitor, s.kind as kind_of_session, unnest(s.hit_at) as at, unnest(s.hit_id) as id,
          unnest(s.hit_kind) as kind, unnest(s.hit_path) as path, unnest(s.hit_text) as text, unnest(s.hit_extra) as extra
        from "websites_v1"."sessions" s
  where s.website = $9 and s.last_at >= $10::timestamptz and s.first_at < $11::timestamptz and s.entered_at is not null and "s"."country" = any($12::int[]) and s.hit_kind && array[$13, $14]::smallint[]
      ) h
      where h.kind = $15 or h.kind in ($16, $17)
    ) h
    group by h.actor, h.session, h.visitor, h.kind_of_session, h.path, h.views
    having bool_or(h.kind in ($18, $19))
  ) v
  where v.at >= $20::timestamptz and v.at < $21::timestamptz and v.path = any($22::int[]) and v.scroll >= 0;
