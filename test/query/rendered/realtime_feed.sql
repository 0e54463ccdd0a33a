-- from facts
with page as (
  select *, count(*) over () as total_rows from (
    select s.country, s.browser_name, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_id") as "id", unnest("s"."hit_path") as "path", unnest(array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($1::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($2::int[])[k.kind]
    order by k.nth
  )) as "name"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $6 and d.last_at >= $7::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $8 and not d.is_sealed),
      ($9::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  ) h
  where h.kind in ($10, $11, $12) and h.at >= $13::timestamptz and h.at < $14::timestamptz
  order by "h"."at" desc, "h"."id" desc limit $15 offset $16
)
select h.at as timestamp, h.kind::float8 as kind, h.total_rows::float8 as total_rows,
  (select text from dictionary where id = case h.kind when $17 then h.name end) as "text",
  (select text from dictionary where id = "h"."path") as "path",
  (select text from dictionary where id = "h"."country") as "country",
  (select text from dictionary where id = "h"."browser_name") as "browser_name"
from page "h"
order by "h"."at" desc, "h"."id" desc;

-- from facts, filtered by path and country
with page as (
  select *, count(*) over () as total_rows from (
    select s.country, s.browser_name, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_id") as "id", unnest(array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($1::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($2::int[])[k.kind]
    order by k.nth
  )) as "name"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $6 and d.last_at >= $7::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $8 and not d.is_sealed),
      ($9::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($10::int[])
  ) h
  where h.kind in ($11, $12, $13) and h.at >= $14::timestamptz and h.at < $15::timestamptz and "h"."path" = any($16::int[])
  order by "h"."at" desc, "h"."id" desc limit $17 offset $18
)
select h.at as timestamp, h.kind::float8 as kind, h.total_rows::float8 as total_rows,
  (select text from dictionary where id = case h.kind when $19 then h.name end) as "text",
  (select text from dictionary where id = "h"."path") as "path",
  (select text from dictionary where id = "h"."country") as "country",
  (select text from dictionary where id = "h"."browser_name") as "browser_name"
from page "h"
order by "h"."at" desc, "h"."id" desc;
