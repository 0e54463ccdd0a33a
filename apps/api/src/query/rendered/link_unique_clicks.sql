-- from facts
select count(*)::float8 as total, count(distinct visitor)::float8 as "unique"
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz;

-- from facts, filtered by path and country
select count(*)::float8 as total, count(distinct visitor)::float8 as "unique"
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]);
