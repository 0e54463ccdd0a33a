-- from facts
with page as (
  select "s".* from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  and s.entered_at >= $8::timestamptz and s.entered_at < $9::timestamptz
  order by s.first_at desc, s.session, s.actor limit $10 offset $11
)
select s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.duration_ms::float8 as duration_ms,
  s.pageviews as page_views,
  (select text from dictionary where id = "s"."country") as "country",
  (select text from dictionary where id = "s"."referrer") as "referrer",
  (select text from dictionary where id = "s"."device_type") as "device_type",
  (select text from dictionary where id = "s"."browser_name") as "browser_name",
  (select text from dictionary where id = "s"."os_name") as "os_name",
  (
    select json_agg(json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.name),
    'properties', (
      select c.properties from "websites_v1"."custom_events" c
      where h.kind = $12 and c.website = $13 and c.at = h.at and c.id = h.id and c.actor = coalesce(s.visitor, s.session)
    ),
    'micros', (
      select v.micros from "websites_v1"."vitals" v
      where h.kind = $14 and v.website = $15 and v.at = h.at and v.id = h.id and v.actor = coalesce(s.visitor, s.session)
    )
  ) order by h.at, h.id)
    from unnest("s"."hit_at", "s"."hit_id", "s"."hit_kind", "s"."hit_path", array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($16::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($17::int[])[k.kind]
    order by k.nth
  )) as h("at", "id", "kind", "path", "name")
  ) as hits
from page "s"
order by s.first_at desc, s.session, s.actor;

-- from facts, filtered by path and country
with page as (
  select "s".* from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($8::int[])
  and s.entered_at >= $9::timestamptz and s.entered_at < $10::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $11 and "h"."path" = any($12::int[]))
  order by s.first_at desc, s.session, s.actor limit $13 offset $14
)
select s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.duration_ms::float8 as duration_ms,
  s.pageviews as page_views,
  (select text from dictionary where id = "s"."country") as "country",
  (select text from dictionary where id = "s"."referrer") as "referrer",
  (select text from dictionary where id = "s"."device_type") as "device_type",
  (select text from dictionary where id = "s"."browser_name") as "browser_name",
  (select text from dictionary where id = "s"."os_name") as "os_name",
  (
    select json_agg(json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.name),
    'properties', (
      select c.properties from "websites_v1"."custom_events" c
      where h.kind = $15 and c.website = $16 and c.at = h.at and c.id = h.id and c.actor = coalesce(s.visitor, s.session)
    ),
    'micros', (
      select v.micros from "websites_v1"."vitals" v
      where h.kind = $17 and v.website = $18 and v.at = h.at and v.id = h.id and v.actor = coalesce(s.visitor, s.session)
    )
  ) order by h.at, h.id)
    from unnest("s"."hit_at", "s"."hit_id", "s"."hit_kind", "s"."hit_path", array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($19::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($20::int[])[k.kind]
    order by k.nth
  )) as h("at", "id", "kind", "path", "name")
  ) as hits
from page "s"
order by s.first_at desc, s.session, s.actor;
