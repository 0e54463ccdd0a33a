-- from facts
with page as (
  select visitor, row_number() over () as place from (
    select o.visitor from (
      select s.visitor, s.session, s.first_at from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  and s.entered_at >= $8::timestamptz and s.entered_at < $9::timestamptz and s.visitor is not null
    ) o
    where not exists (
      select from "websites_v1"."sessions" s
  where s.website = $10 and s.last_at >= $11::timestamptz and s.first_at < $12::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $13 and d.last_at >= $14::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $15 and not d.is_sealed),
      ($16::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  and s.entered_at >= $17::timestamptz and s.entered_at < $18::timestamptz and s.actor = o.visitor and s.visitor is not null
        and (s.first_at, o.session) > (o.first_at, s.session)
    )
    order by o.first_at desc, o.visitor
    limit $19 offset $20
  ) ordered
)
select p.visitor, first_visit, last_visit, "session_count"::float8 as "session_count", "total_events"::float8 as "total_events", "custom_event_count"::float8 as "custom_event_count", "total_duration"::float8 as "total_duration", "unique_pages"::float8 as "unique_pages",
  identity.subject, identity.profile_id, identity.traits,
  (select text from dictionary where id = "newest"."country") as "country",
  (select text from dictionary where id = "newest"."region") as "region",
  (select text from dictionary where id = "newest"."device_type") as "device_type",
  (select text from dictionary where id = "newest"."browser_name") as "browser_name",
  (select text from dictionary where id = "newest"."os_name") as "os_name",
  (select text from dictionary where id = "newest"."referrer") as "referrer"
from page p
cross join lateral (
  select min(s.first_at) as "first_visit", max(s.last_at) as "last_visit", count(*) as "session_count", sum(s.pageviews + s.custom_events + s.outgoing_links) as "total_events", sum(s.custom_events) as "custom_event_count", sum(s.duration_ms) as "total_duration" from "websites_v1"."sessions" s
  where s.website = $21 and s.last_at >= $22::timestamptz and s.first_at < $23::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $24 and d.last_at >= $25::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $26 and not d.is_sealed),
      ($27::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  and s.entered_at >= $28::timestamptz and s.entered_at < $29::timestamptz and s.actor = p.visitor and s.visitor is not null
) added
cross join lateral (
  select s.* from "websites_v1"."sessions" s
  where s.website = $30 and s.last_at >= $31::timestamptz and s.first_at < $32::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $33 and d.last_at >= $34::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $35 and not d.is_sealed),
      ($36::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'
  and s.entered_at >= $37::timestamptz and s.entered_at < $38::timestamptz and s.actor = p.visitor and s.visitor is not null
  order by s.first_at desc, s.session limit 1
) newest
cross join lateral (
  select count(distinct h.path) as unique_pages from (
    select s.session, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $39 and s.last_at >= $40::timestamptz and s.first_at < $41::timestamptz and s.actor = p.visitor and s.visitor is not null and s.entered_at >= $42::timestamptz and s.entered_at < $43::timestamptz
  ) h
  where h.kind = $44 and h.at >= $45::timestamptz and h.at < $46::timestamptz
) viewed
left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $47 and t.subject = said.subject and t.trait = any($48::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $49 and said.visitor = p.visitor
) identity on true
order by p.place;

-- from facts, filtered by path and country
with page as (
  select visitor, row_number() over () as place from (
    select o.visitor from (
      select s.visitor, s.session, s.first_at from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($8::int[])
  and s.entered_at >= $9::timestamptz and s.entered_at < $10::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $11 and "h"."path" = any($12::int[])) and s.visitor is not null
    ) o
    where not exists (
      select from "websites_v1"."sessions" s
  where s.website = $13 and s.last_at >= $14::timestamptz and s.first_at < $15::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $16 and d.last_at >= $17::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $18 and not d.is_sealed),
      ($19::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($20::int[])
  and s.entered_at >= $21::timestamptz and s.entered_at < $22::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $23 and "h"."path" = any($24::int[])) and s.actor = o.visitor and s.visitor is not null
        and (s.first_at, o.session) > (o.first_at, s.session)
    )
    order by o.first_at desc, o.visitor
    limit $25 offset $26
  ) ordered
)
select p.visitor, first_visit, last_visit, "session_count"::float8 as "session_count", "total_events"::float8 as "total_events", "custom_event_count"::float8 as "custom_event_count", "total_duration"::float8 as "total_duration", "unique_pages"::float8 as "unique_pages",
  identity.subject, identity.profile_id, identity.traits,
  (select text from dictionary where id = "newest"."country") as "country",
  (select text from dictionary where id = "newest"."region") as "region",
  (select text from dictionary where id = "newest"."device_type") as "device_type",
  (select text from dictionary where id = "newest"."browser_name") as "browser_name",
  (select text from dictionary where id = "newest"."os_name") as "os_name",
  (select text from dictionary where id = "newest"."referrer") as "referrer"
from page p
cross join lateral (
  select min(s.first_at) as "first_visit", max(s.last_at) as "last_visit", count(*) as "session_count", sum(s.pageviews + s.custom_events + s.outgoing_links) as "total_events", sum(s.custom_events) as "custom_event_count", sum(s.duration_ms) as "total_duration" from "websites_v1"."sessions" s
  where s.website = $27 and s.last_at >= $28::timestamptz and s.first_at < $29::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $30 and d.last_at >= $31::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $32 and not d.is_sealed),
      ($33::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($34::int[])
  and s.entered_at >= $35::timestamptz and s.entered_at < $36::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $37 and "h"."path" = any($38::int[])) and s.actor = p.visitor and s.visitor is not null
) added
cross join lateral (
  select s.* from "websites_v1"."sessions" s
  where s.website = $39 and s.last_at >= $40::timestamptz and s.first_at < $41::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $42 and d.last_at >= $43::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $44 and not d.is_sealed),
      ($45::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($46::int[])
  and s.entered_at >= $47::timestamptz and s.entered_at < $48::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $49 and "h"."path" = any($50::int[])) and s.actor = p.visitor and s.visitor is not null
  order by s.first_at desc, s.session limit 1
) newest
cross join lateral (
  select count(distinct h.path) as unique_pages from (
    select s.session, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $51 and s.last_at >= $52::timestamptz and s.first_at < $53::timestamptz and s.entered_at is not null and "s"."country" <> all($54::int[]) and s.actor = p.visitor and s.visitor is not null and s.entered_at >= $55::timestamptz and s.entered_at < $56::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $57 and "h"."path" = any($58::int[]))
  ) h
  where h.kind = $59 and h.at >= $60::timestamptz and h.at < $61::timestamptz
) viewed
left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $62 and t.subject = said.subject and t.trait = any($63::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $64 and said.visitor = p.visitor
) identity on true
order by p.place;
