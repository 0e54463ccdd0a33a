-- from days
select from_path,
  encode(string_agg(int2send(sign::smallint) || int2send(repeated::smallint) || array_send(steps), ''::bytea), 'base64')
    as steps
from (
  select from_path, sign, repeated, steps
  from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select from_path, repeated, steps from "websites_v1"."page_transitions"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
  union all (
  select from_path, 1 as sign, repeated, array_agg((to_path::bigint << 32) + count) as steps
  from "websites_v1"."latest_transitions"
  cross join lateral (values (0, sessions), (1, transitions - sessions)) as each (repeated, count)
  where website = $5 and day between $6::date and $7::date and count > 0
  group by from_path, repeated)
) histograms
group by from_path;

-- from facts
select encode(string_agg(int4send(from_path), ''), 'base64') as from_path, encode(string_agg(int4send(to_path), ''), 'base64') as to_path,
  encode(string_agg(int4send(transitions::integer), ''), 'base64') as transitions, encode(string_agg(int4send(sessions::integer), ''), 'base64') as sessions
from (
  select from_path, to_path, count(*) as transitions, count(distinct (actor, session)) as sessions
  from (
    select actor, session, path as from_path, lead(path) over following as to_path,
      is_selected or lead(is_selected) over following as is_wanted
    from (select h.*, true as is_selected from (
    select s.actor, s.session, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind", unnest("x"."hit_id") as "id", unnest("x"."hit_path") as "path", unnest("x"."hit_text") as "text"
    from (
      select s.website, s.actor, s.visitor, s.session from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  and s.entered_at >= $4::timestamptz and s.entered_at < $5::timestamptz and s.pageviews > 1
    ) s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = $6 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
    where true
  ) h
  where h.kind = $7 and h.at >= $8::timestamptz and h.at < $9::timestamptz) v
    window following as (partition by actor, session order by at, id)
  ) steps
  where to_path is not null and is_wanted
  group by from_path, to_path) steps;

-- from facts, filtered by path and country
select encode(string_agg(int4send(from_path), ''), 'base64') as from_path, encode(string_agg(int4send(to_path), ''), 'base64') as to_path,
  encode(string_agg(int4send(transitions::integer), ''), 'base64') as transitions, encode(string_agg(int4send(sessions::integer), ''), 'base64') as sessions
from (
  select from_path, to_path, count(*) as transitions, count(distinct (actor, session)) as sessions
  from (
    select actor, session, path as from_path, lead(path) over following as to_path,
      is_selected or lead(is_selected) over following as is_wanted
    from (select h.*, true and h.path = any($1::int[]) as is_selected from (
    select s.actor, s.session, unnest("x"."hit_at") as "at", unnest("x"."hit_kind") as "kind", unnest("x"."hit_id") as "id", unnest("x"."hit_path") as "path", unnest("x"."hit_text") as "text"
    from (
      select s.website, s.actor, s.visitor, s.session from "websites_v1"."sessions" s
  where s.website = $2 and s.last_at >= $3::timestamptz and s.first_at < $4::timestamptz and s.entered_at is not null and "s"."country" = any($5::int[])
  and s.entered_at >= $6::timestamptz and s.entered_at < $7::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $8 and h.path = any($9::int[])) and s.pageviews > 1
    ) s
    cross join lateral (
      select * from "websites_v1"."sessions" x
      where x.website = $10 and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x
    where true
  ) h
  where h.kind = $11 and h.at >= $12::timestamptz and h.at < $13::timestamptz) v
    window following as (partition by actor, session order by at, id)
  ) steps
  where to_path is not null and is_wanted
  group by from_path, to_path) steps;
