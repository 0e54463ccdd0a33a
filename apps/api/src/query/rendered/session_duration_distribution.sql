-- from days
select value::float8 as place, sum(sessions)::float8 as sessions,
  coalesce(sum(visitors) filter (where previous_day < $1::date), 0)::float8 as visitors
from "websites_v1"."session_duration_ranges"
where website = $2 and day between $3::date and $4::date
group by value having sum(sessions) > 0 order by value;

-- from facts
select width_bucket(s.duration_ms, $1::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from "websites_v1"."sessions" s
  where s.website = $2 and s.last_at >= $3::timestamptz and s.first_at < $4::timestamptz
  and s.entered_at >= $5::timestamptz and s.entered_at < $6::timestamptz
group by 1 order by 1;

-- from facts, filtered by path and country
select width_bucket(s.duration_ms, $1::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from "websites_v1"."sessions" s
  where s.website = $2 and s.last_at >= $3::timestamptz and s.first_at < $4::timestamptz and s.entered_at is not null and "s"."country" = any($5::int[])
  and s.entered_at >= $6::timestamptz and s.entered_at < $7::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = $8 and h.path = any($9::int[]))
group by 1 order by 1;
