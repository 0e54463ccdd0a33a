-- from facts
select count(distinct s.visitor)::float8 as active_users,
  count(distinct (s.unit, s.session)) filter (where s.entered_at is not null)::float8
    as active_sessions
from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  and true and h.at >= $4::timestamptz and h.at < $5::timestamptz;

-- from facts, filtered by path and country
select count(distinct s.visitor)::float8 as active_users,
  count(distinct (s.unit, s.session)) filter (where s.entered_at is not null
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = $1 and h.path = any($2::int[])))::float8
    as active_sessions
from "websites_v1"."sessions" s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.entered_at is not null and "s"."country" = any($6::int[])
  and h.kind in ($7, $8, $9) and h.at >= $10::timestamptz and h.at < $11::timestamptz and h.path = any($12::int[]);
