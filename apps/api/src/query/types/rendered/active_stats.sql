-- from facts
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from (
    select s.visitor, s.actor, s.session, s.entered_at is not null as is_counted, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  ) h
  where true and h.at >= $4::timestamptz and h.at < $5::timestamptz;

-- from facts, filtered by path and country
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from (
    select s.visitor, s.actor, s.session, s.entered_at is not null
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $1 and h.path = any($2::int[])) as is_counted, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.entered_at is not null and "s"."country" = any($6::int[])
  ) h
  where h.kind in ($7, $8, $9) and h.at >= $10::timestamptz and h.at < $11::timestamptz and h.path = any($12::int[]);
