-- from facts
select max(at) as last_clicked
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz;

-- from facts, filtered by path and country
select max(at) as last_clicked
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]);
