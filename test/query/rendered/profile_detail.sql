-- from facts
with page as (
  select visitor, row_number() over () as place from (
    select o.visitor from (
      select s.visitor, s.session, s.first_at from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.actor = any($4::uuid[]) and s.visitor is not null
  and s.entered_at >= $5::timestamptz and s.entered_at < $6::timestamptz and s.visitor is not null
    ) o
    where not exists (
      select from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.actor = any($10::uuid[]) and s.visitor is not null
  and s.entered_at >= $11::timestamptz and s.entered_at < $12::timestamptz and s.actor = o.visitor and s.visitor is not null
        and (s.first_at, o.session) > (o.first_at, s.session)
    )
    order by o.first_at desc, o.visitor
    limit $13 offset $14
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
  where s.website = $15 and s.last_at >= $16::timestamptz and s.first_at < $17::timestamptz and s.actor = any($18::uuid[]) and s.visitor is not null
  and s.entered_at >= $19::timestamptz and s.entered_at < $20::timestamptz and s.actor = p.visitor and s.visitor is not null
) added
cross join lateral (
  select s.* from "websites_v1"."sessions" s
  where s.website = $21 and s.last_at >= $22::timestamptz and s.first_at < $23::timestamptz and s.actor = any($24::uuid[]) and s.visitor is not null
  and s.entered_at >= $25::timestamptz and s.entered_at < $26::timestamptz and s.actor = p.visitor and s.visitor is not null
  order by s.first_at desc, s.session limit 1
) newest
cross join lateral (
  select count(distinct h.path) as unique_pages from (
    select s.session, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $27 and s.last_at >= $28::timestamptz and s.first_at < $29::timestamptz and s.actor = any($30::uuid[]) and s.visitor is not null and s.actor = p.visitor and s.visitor is not null and s.entered_at >= $31::timestamptz and s.entered_at < $32::timestamptz
  ) h
  where h.kind = $33 and h.at >= $34::timestamptz and h.at < $35::timestamptz
) viewed
left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $36 and t.subject = said.subject and t.trait = any($37::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $38 and said.visitor = p.visitor
) identity on true
order by p.place;

-- from facts, filtered by path and country
with page as (
  select visitor, row_number() over () as place from (
    select o.visitor from (
      select s.visitor, s.session, s.first_at from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.actor = any($4::uuid[]) and s.visitor is not null and s.entered_at is not null and "s"."country" <> all($5::int[])
  and s.entered_at >= $6::timestamptz and s.entered_at < $7::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $8 and "h"."path" = any($9::int[])) and s.visitor is not null
    ) o
    where not exists (
      select from "websites_v1"."sessions" s
  where s.website = $10 and s.last_at >= $11::timestamptz and s.first_at < $12::timestamptz and s.actor = any($13::uuid[]) and s.visitor is not null and s.entered_at is not null and "s"."country" <> all($14::int[])
  and s.entered_at >= $15::timestamptz and s.entered_at < $16::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $17 and "h"."path" = any($18::int[])) and s.actor = o.visitor and s.visitor is not null
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
  where s.website = $21 and s.last_at >= $22::timestamptz and s.first_at < $23::timestamptz and s.actor = any($24::uuid[]) and s.visitor is not null and s.entered_at is not null and "s"."country" <> all($25::int[])
  and s.entered_at >= $26::timestamptz and s.entered_at < $27::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $28 and "h"."path" = any($29::int[])) and s.actor = p.visitor and s.visitor is not null
) added
cross join lateral (
  select s.* from "websites_v1"."sessions" s
  where s.website = $30 and s.last_at >= $31::timestamptz and s.first_at < $32::timestamptz and s.actor = any($33::uuid[]) and s.visitor is not null and s.entered_at is not null and "s"."country" <> all($34::int[])
  and s.entered_at >= $35::timestamptz and s.entered_at < $36::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $37 and "h"."path" = any($38::int[])) and s.actor = p.visitor and s.visitor is not null
  order by s.first_at desc, s.session limit 1
) newest
cross join lateral (
  select count(distinct h.path) as unique_pages from (
    select s.session, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $39 and s.last_at >= $40::timestamptz and s.first_at < $41::timestamptz and s.actor = any($42::uuid[]) and s.visitor is not null and s.entered_at is not null and "s"."country" <> all($43::int[]) and s.actor = p.visitor and s.visitor is not null and s.entered_at >= $44::timestamptz and s.entered_at < $45::timestamptz
  and exists (
    select from unnest("s"."hit_kind", "s"."hit_path") as h("kind", "path")
    where h.kind = $46 and "h"."path" = any($47::int[]))
  ) h
  where h.kind = $48 and h.at >= $49::timestamptz and h.at < $50::timestamptz
) viewed
left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $51 and t.subject = said.subject and t.trait = any($52::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $53 and said.visitor = p.visitor
) identity on true
order by p.place;
