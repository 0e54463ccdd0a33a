-- from days
select (select distinct_count from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value = $6 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_sessions"
    where website = $10 and span = b.span and day = b.day and previous_day >= $11::date and value = $12 group by 1 offset 0
  ) t) each_block
  group by value) s)::float8 as total_sessions,
  (select distinct_count from (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_visitors"
    where website = $16 and span = b.span and day = b.day and previous_day = $17::date and value = $18 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($19::smallint[], $20::date[], $21::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("distinct_count")::float8 as "distinct_count" from "websites_v1"."engaged_visitors"
    where website = $22 and span = b.span and day = b.day and previous_day >= $23::date and value = $24 group by 1 offset 0
  ) t) each_block
  group by value) v)::float8 as visitors,
  scroll, scrolled
from (
  select "value", sum(b.sign * "scroll") as "scroll", sum(b.sign * "scrolled") as "scrolled" from 
  unnest($25::smallint[], $26::date[], $27::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "scroll"::float8 as "scroll", "scrolled"::float8 as "scrolled" from "websites_v1"."page_visits"
    where website = $28 and span = b.span and day = b.day and previous_day = $29::date and value = $30 offset 0
  ) t
  group by "value") every;

-- from facts
select sum(v.scroll)::float8 as scroll, count(*)::float8 as scrolled, count(distinct (v.visitor, v.session))::float8 as total_sessions,
  count(distinct v.visitor)::float8 as visitors
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
  where v.at >= $19::timestamptz and v.at < $20::timestamptz and v.scroll >= 0;

-- from facts, filtered by path and country
select sum(v.scroll)::float8 as scroll, count(*)::float8 as scrolled, count(distinct (v.visitor, v.session))::float8 as total_sessions,
  count(distinct v.visitor)::float8 as visitors
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
  where v.at >= $20::timestamptz and v.at < $21::timestamptz and v.path = any($22::int[]) and v.scroll >= 0;
