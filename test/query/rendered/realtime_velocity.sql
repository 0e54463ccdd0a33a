-- from facts
select minute, coalesce(pageviews, 0)::float8 as pageviews, coalesce(events, 0)::float8 as events,
  coalesce(visitors, 0)::float8 as visitors
from generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as minutes(minute)
left join (
  select least(date_bin(interval '1 minute', h.at, $3::timestamptz), $4::timestamptz) as minute, count(*) filter (where h.kind = $5) as pageviews,
    count(*) as events, count(distinct h.visitor) filter (where h.kind = $6) as visitors
  from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind"
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $10 and d.last_at >= $11::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $12 and not d.is_sealed),
      ($13::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  ) h
  where h.kind in ($14, $15, $16) and h.at >= $17::timestamptz and h.at < $18::timestamptz
  group by 1
) happened using (minute)
order by minute;

-- from facts, filtered by path and country
select minute, coalesce(pageviews, 0)::float8 as pageviews, coalesce(events, 0)::float8 as events,
  coalesce(visitors, 0)::float8 as visitors
from generate_series($1::timestamptz, $2::timestamptz, interval '1 minute') as minutes(minute)
left join (
  select least(date_bin(interval '1 minute', h.at, $3::timestamptz), $4::timestamptz) as minute, count(*) filter (where h.kind = $5) as pageviews,
    count(*) as events, count(distinct h.visitor) filter (where h.kind = $6) as visitors
  from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $10 and d.last_at >= $11::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $12 and not d.is_sealed),
      ($13::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($14::int[])
  ) h
  where h.kind in ($15, $16, $17) and h.at >= $18::timestamptz and h.at < $19::timestamptz and "h"."path" = any($20::int[])
  group by 1
) happened using (minute)
order by minute;
