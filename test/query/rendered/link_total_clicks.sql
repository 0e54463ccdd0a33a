-- from fifteenMinutes
select sum(clicks)::float8 as total
from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select clicks from "links_v1"."link_clicks_15min"
    where link_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t;

-- from facts
select count(*)::float8 as total
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz;

-- from facts, filtered by path and country
select count(*)::float8 as total
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]);
