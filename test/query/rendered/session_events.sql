-- from facts
with page as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_id") as "id", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.session = any($4::uuid[]) and s.kind <> $5
  ) h
  where true and h.at >= $6::timestamptz and h.at < $7::timestamptz
  order by "h"."at" asc, "h"."id" asc limit $8 offset $9
)
select h.session, nullif(h.actor, h.session) as visitor, json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.text),
    'properties', (
      select c.properties from "websites_v1"."custom_events" c
      where h.kind = $10 and c.website = $11 and c.at = h.at and c.id = h.id and c.actor = h.actor
    ),
    'micros', (
      select v.micros from "websites_v1"."vitals" v
      where h.kind = $12 and v.website = $13 and v.at = h.at and v.id = h.id and v.actor = h.actor
    )
  ) as hit, h.total_rows::float8 as total_rows
from page "h"
order by "h"."at" asc, "h"."id" asc;

-- from facts, filtered by path and country
with page as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_id") as "id", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.session = any($4::uuid[]) and s.kind <> $5 and s.entered_at is not null and "s"."country" <> all($6::int[])
  ) h
  where true and h.at >= $7::timestamptz and h.at < $8::timestamptz and "h"."path" = any($9::int[])
  order by "h"."at" asc, "h"."id" asc limit $10 offset $11
)
select h.session, nullif(h.actor, h.session) as visitor, json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.text),
    'properties', (
      select c.properties from "websites_v1"."custom_events" c
      where h.kind = $12 and c.website = $13 and c.at = h.at and c.id = h.id and c.actor = h.actor
    ),
    'micros', (
      select v.micros from "websites_v1"."vitals" v
      where h.kind = $14 and v.website = $15 and v.at = h.at and v.id = h.id and v.actor = h.actor
    )
  ) as hit, h.total_rows::float8 as total_rows
from page "h"
order by "h"."at" asc, "h"."id" asc;
