-- from facts
with page as (
  select "e".* from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz
  order by "e"."at" desc, "e"."id" desc limit $4 offset $5
)
select e.at as timestamp, e.visitor, e.session, e.namespace, e.properties,
  (select text from dictionary where id = e.name) as "event_name", (select text from dictionary where id = e.path) as "path", identity.subject, identity.profile_id, identity.traits
from page "e" left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $6 and t.subject = said.subject and t.trait = any($7::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $8 and said.visitor = e.visitor
) identity on true
order by "e"."at" desc, "e"."id" desc;

-- from facts, filtered by path and country
with page as (
  select "e".* from "websites_v1"."custom_events" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and "e"."path" = any($4::int[])
  and exists (
    select from "websites_v1"."sessions" s
    where s.website = e.website and s.actor = e.actor and s.session = e.session and s.entered_at is not null and "s"."country" <> all($5::int[])
  )
  order by "e"."at" desc, "e"."id" desc limit $6 offset $7
)
select e.at as timestamp, e.visitor, e.session, e.namespace, e.properties,
  (select text from dictionary where id = e.name) as "event_name", (select text from dictionary where id = e.path) as "path", identity.subject, identity.profile_id, identity.traits
from page "e" left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from "websites_v1"."profile_traits" t
    where t.website = $8 and t.subject = said.subject and t.trait = any($9::text[])
      and t.value is not null
  ) as traits
  from "websites_v1"."visitor_profiles" said
  where said.website = $10 and said.visitor = e.visitor
) identity on true
order by "e"."at" desc, "e"."id" desc;
