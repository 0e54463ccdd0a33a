-- from facts
select coalesce(d.text, '') as text, "visitors"::float8 as "visitors", "pageviews"::float8 as "pageviews", total_rows::float8 as total_rows
from (
  select "h"."country" as value, count(*) as pageviews, count(distinct h.visitor) as visitors, count(*) over () as total_rows
  from (
    select s.visitor, "s"."country", unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null
  ) h
  where h.kind = $8 and h.at >= $9::timestamptz and h.at < $10::timestamptz
  group by 1 order by "visitors" desc, "pageviews" desc fetch first $11 rows with ties
) ranked
left join dictionary d on d.id = value;

-- from facts, filtered by path and country
select coalesce(d.text, '') as text, "visitors"::float8 as "visitors", "pageviews"::float8 as "pageviews", total_rows::float8 as total_rows
from (
  select "h"."country" as value, count(*) as pageviews, count(distinct h.visitor) as visitors, count(*) over () as total_rows
  from (
    select s.visitor, "s"."country", unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz
    and s.first_at >= least(
      (select min(d.day + 0) from "websites_v1"."session_days" d where d.website = $4 and d.last_at >= $5::timestamptz),
      (select min(d.day) from "websites_v1"."session_day_states" d where d.website = $6 and not d.is_sealed),
      ($7::timestamptz at time zone 'UTC')::date
    )::timestamp at time zone 'UTC' and s.entered_at is not null and "s"."country" <> all($8::int[]) and s.entered_at is not null
  ) h
  where h.kind = $9 and h.at >= $10::timestamptz and h.at < $11::timestamptz and "h"."path" = any($12::int[])
  group by 1 order by "visitors" desc, "pageviews" desc fetch first $13 rows with ties
) ranked
left join dictionary d on d.id = value;
