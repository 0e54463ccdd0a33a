-- from quarters
select sum(clicks)::float8 as total
from "links_v1"."link_clicks_quarterly"
  where link_id = $1 and quarter >= $2::timestamptz and quarter < $3::timestamptz;

-- from facts
select count(*)::float8 as total
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz;

-- from facts, filtered by path and country
select count(*)::float8 as total
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]);
