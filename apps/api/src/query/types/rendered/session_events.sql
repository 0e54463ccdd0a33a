-- from facts
with hits as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_id") as "id", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.session = any($4::uuid[]) and s.kind <> $5
  ) h
  where true and h.at >= $6::timestamptz and h.at < $7::timestamptz
  order by h.at, h.id limit $8 offset $9
)
select h.session, h.id, h.at, h.kind::float8 as kind, path.text as path, content.text, c.properties,
  h.total_rows::float8 as total_rows
from hits h
left join dictionary path on path.id = h.path
left join dictionary content on content.id = h.text
left join "websites_v1"."custom_events" c
  on h.kind = $10 and c.website = $11 and c.at = h.at and c.id = h.id and c.actor = h.actor
order by h.at, h.id;

-- from facts, filtered by path and country
with hits as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text", unnest("s"."hit_id") as "id"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.session = any($4::uuid[]) and s.kind <> $5 and s.entered_at is not null and "s"."country" = any($6::int[])
  ) h
  where h.kind in ($7, $8, $9) and h.at >= $10::timestamptz and h.at < $11::timestamptz and h.path = any($12::int[])
  order by h.at, h.id limit $13 offset $14
)
select h.session, h.id, h.at, h.kind::float8 as kind, path.text as path, content.text, c.properties,
  h.total_rows::float8 as total_rows
from hits h
left join dictionary path on path.id = h.path
left join dictionary content on content.id = h.text
left join "websites_v1"."custom_events" c
  on h.kind = $15 and c.website = $16 and c.at = h.at and c.id = h.id and c.actor = h.actor
order by h.at, h.id;
