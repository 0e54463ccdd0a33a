-- from facts
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from (
    select s.visitor, s.actor, s.session, s.entered_at is not null as is_counted, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  ) h
  where true and h.at >= $8::timestamptz and h.at < $9::timestamptz;

-- from facts, filtered by path and country
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from (
    select s.visitor, s.actor, s.session, s.entered_at is not null
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $1 and "h"."path" = any($2::int[])) as is_counted, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $6 and d.last_at >= $7::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $8 and not d.is_sealed),
      ($9::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($10::int[])
  ) h
  where h.kind in ($11, $12, $13) and h.at >= $14::timestamptz and h.at < $15::timestamptz and "h"."path" = any($16::int[]);
