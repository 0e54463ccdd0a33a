-- from days
with counted as (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value in ($6, $7) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $11 and span = b.span and day = b.day and previous_day >= $12::date and value in ($13, $14) group by 1 offset 0
  ) t) each_block
  group by value
)
select interactions, (select distinct_count from counted where value = $15)::float8 as total_sessions,
  (select distinct_count from counted where value = $16)::float8 as interactive_sessions
from (
  select "value", sum(b.sign * "interactions") as "interactions" from 
  unnest($17::smallint[], $18::date[], $19::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "interactions"::float8 as "interactions" from "websites_v1"."page_visits"
    where website = $20 and span = b.span and day = b.day and previous_day = $21::date and value = $22 offset 0
  ) t
  group by "value") every;

-- from facts
select coalesce(sum(greatest(v.interactions, 0)), 0)::float8 as interactions,
  count(distinct (v.visitor, v.session))::float8 as total_sessions,
  (count(distinct (v.visitor, v.session)) filter (where v.interactions > 0))::float8 as interactive_sessions
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
  where v.at >= $19::timestamptz and v.at < $20::timestamptz;

-- from facts, filtered by path and country
select coalesce(sum(greatest(v.interactions, 0)), 0)::float8 as interactions,
  count(distinct (v.visitor, v.session))::float8 as total_sessions,
  (count(distinct (v.visitor, v.session)) filter (where v.interactions > 0))::float8 as interactive_sessions
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
  where v.at >= $20::timestamptz and v.at < $21::timestamptz and v.path = any($22::int[]);
