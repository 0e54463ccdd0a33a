-- from facts
with feed as (
  select *, count(*) over () as total_rows from (
    select s.country, s.browser_name, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_id") as "id", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
  ) h
  where h.kind in ($4, $5, $6) and h.at >= $7::timestamptz and h.at < $8::timestamptz
  order by h.at desc, h.id desc limit $9 offset $10
)
select h.at as timestamp, h.kind::float8 as kind, content.text, path.text as path, country.text as country,
  browser.text as browser_name, h.total_rows::float8 as total_rows
from feed h
left join dictionary content on h.kind = $11 and content.id = h.text
left join dictionary path on path.id = h.path
left join dictionary country on country.id = h.country
left join dictionary browser on browser.id = h.browser_name
order by h.at desc, h.id desc;

-- from facts, filtered by path and country
with feed as (
  select *, count(*) over () as total_rows from (
    select s.country, s.browser_name, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text", unnest("s"."hit_id") as "id"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[])
  ) h
  where h.kind in ($5, $6, $7) and h.at >= $8::timestamptz and h.at < $9::timestamptz and h.path = any($10::int[])
  order by h.at desc, h.id desc limit $11 offset $12
)
select h.at as timestamp, h.kind::float8 as kind, content.text, path.text as path, country.text as country,
  browser.text as browser_name, h.total_rows::float8 as total_rows
from feed h
left join dictionary content on h.kind = $13 and content.id = h.text
left join dictionary path on path.id = h.path
left join dictionary country on country.id = h.country
left join dictionary browser on browser.id = h.browser_name
order by h.at desc, h.id desc;
