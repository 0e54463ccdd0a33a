-- from facts
with page as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_id") as "id", unnest("s"."hit_path") as "path", unnest(array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($1::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($2::int[])[k.kind]
    order by k.nth
  )) as "name"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.session = any($6::uuid[]) and s.kind <> $7
  ) h
  where true and h.at >= $8::timestamptz and h.at < $9::timestamptz
  order by "h"."at" asc, "h"."id" asc limit $10 offset $11
)
select h.session, nullif(h.actor, h.session) as visitor, json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.name),
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

-- from facts, filtered by path and country
with page as (
  select *, count(*) over () as total_rows from (
    select s.session, s.actor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_id") as "id", unnest(array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum(($1::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + ($2::int[])[k.kind]
    order by k.nth
  )) as "name"
    from "websites_v1"."sessions" s
  where s.website = $3 and s.last_at >= $4::timestamptz and s.first_at < $5::timestamptz and s.session = any($6::uuid[]) and s.kind <> $7 and s.entered_at is not null and "s"."country" <> all($8::int[])
  ) h
  where true and h.at >= $9::timestamptz and h.at < $10::timestamptz and "h"."path" = any($11::int[])
  order by "h"."at" asc, "h"."id" asc limit $12 offset $13
)
select h.session, nullif(h.actor, h.session) as visitor, json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.name),
    'properties', (
      select c.properties from "websites_v1"."custom_events" c
      where h.kind = $14 and c.website = $15 and c.at = h.at and c.id = h.id and c.actor = h.actor
    ),
    'micros', (
      select v.micros from "websites_v1"."vitals" v
      where h.kind = $16 and v.website = $17 and v.at = h.at and v.id = h.id and v.actor = h.actor
    )
  ) as hit, h.total_rows::float8 as total_rows
from page "h"
order by "h"."at" asc, "h"."id" asc;
