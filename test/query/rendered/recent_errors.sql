-- from facts
with page as (
  select "e".* from "websites_v1"."errors" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz
  order by "e"."at" desc, "e"."id" desc limit $4 offset $5
)
select e.at as timestamp, e.visitor, e.session, e.stack, e.lineno::float8 as lineno, e.colno::float8 as colno,
  (select text from dictionary where id = "e"."message") as "message",
  (select text from dictionary where id = "e"."path") as "path",
  (select text from dictionary where id = "e"."filename") as "filename",
  (select text from dictionary where id = "e"."error_type") as "error_type",
  (select text from dictionary where id = coalesce("s"."browser_name", "e"."browser_name")) as "browser_name",
  (select text from dictionary where id = coalesce("s"."os_name", "e"."os_name")) as "os_name",
  (select text from dictionary where id = coalesce("s"."device_type", "e"."device_type")) as "device_type",
  (select text from dictionary where id = coalesce("s"."country", "e"."country")) as "country"
from page "e"
left join "websites_v1"."sessions" s
  on s.website = $6 and s.actor = coalesce(e.visitor, e.session) and s.session = e.session
  and s.entered_at is not null
order by "e"."at" desc, "e"."id" desc;

-- from facts, filtered by path and country
with page as (
  select "e".* from "websites_v1"."errors" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and "e"."path" = any($4::int[])
  and exists (
    select from "websites_v1"."sessions" s
    where s.website = e.website and s.actor = e.actor and s.session = e.session and s.entered_at is not null and "s"."country" <> all($5::int[])
  )
  order by "e"."at" desc, "e"."id" desc limit $6 offset $7
)
select e.at as timestamp, e.visitor, e.session, e.stack, e.lineno::float8 as lineno, e.colno::float8 as colno,
  (select text from dictionary where id = "e"."message") as "message",
  (select text from dictionary where id = "e"."path") as "path",
  (select text from dictionary where id = "e"."filename") as "filename",
  (select text from dictionary where id = "e"."error_type") as "error_type",
  (select text from dictionary where id = coalesce("s"."browser_name", "e"."browser_name")) as "browser_name",
  (select text from dictionary where id = coalesce("s"."os_name", "e"."os_name")) as "os_name",
  (select text from dictionary where id = coalesce("s"."device_type", "e"."device_type")) as "device_type",
  (select text from dictionary where id = coalesce("s"."country", "e"."country")) as "country"
from page "e"
left join "websites_v1"."sessions" s
  on s.website = $8 and s.actor = coalesce(e.visitor, e.session) and s.session = e.session
  and s.entered_at is not null
order by "e"."at" desc, "e"."id" desc;
