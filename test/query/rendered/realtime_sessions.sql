-- from facts
with page as (
  select s.*, count(*) over () as total_rows from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null
  and exists (
    select from unnest("s"."hit_at", "s"."hit_kind") as h("at", "kind")
    where true and h.at >= $8::timestamptz and h.at < $9::timestamptz)
  order by s.last_at desc, s.session, s.actor limit $10 offset $11
)
select s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.pageviews as page_views,
  (select text from dictionary where id = "s"."entry_path") as "entry_path",
  (select text from dictionary where id = "s"."exit_path") as "exit_path",
  (select text from dictionary where id = "s"."country") as "country",
  (select text from dictionary where id = "s"."referrer") as "referrer",
  (select text from dictionary where id = "s"."device_type") as "device_type",
  (select text from dictionary where id = "s"."browser_name") as "browser_name", s.total_rows::float8 as total_rows
from page "s"
order by s.last_at desc, s.session, s.actor;

-- from facts, filtered by path and country
with page as (
  select s.*, count(*) over () as total_rows from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($8::int[]) and s.entered_at is not null
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $9 and "h"."path" = any($10::int[]))
  and exists (
    select from unnest("s"."hit_at", "s"."hit_kind", "s"."hit_path") as h("at", "kind", "path")
    where h.kind in ($11, $12, $13) and h.at >= $14::timestamptz and h.at < $15::timestamptz and "h"."path" = any($16::int[]))
  order by s.last_at desc, s.session, s.actor limit $17 offset $18
)
select s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.pageviews as page_views,
  (select text from dictionary where id = "s"."entry_path") as "entry_path",
  (select text from dictionary where id = "s"."exit_path") as "exit_path",
  (select text from dictionary where id = "s"."country") as "country",
  (select text from dictionary where id = "s"."referrer") as "referrer",
  (select text from dictionary where id = "s"."device_type") as "device_type",
  (select text from dictionary where id = "s"."browser_name") as "browser_name", s.total_rows::float8 as total_rows
from page "s"
order by s.last_at desc, s.session, s.actor;
