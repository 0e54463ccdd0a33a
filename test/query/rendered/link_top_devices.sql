-- from fifteenMinutes
select value as text, clicks::float8 as clicks, total_rows::float8 as total_rows
from (
  select value as value, sum(clicks) as clicks, count(*) over () as total_rows from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select value, clicks from "links_v1"."link_devices"
    where link_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t group by 1 order by "clicks" desc fetch first $6 rows with ties
) ranked;

-- from facts
select value as text, clicks::float8 as clicks, total_rows::float8 as total_rows
from (
  select "device_type" as value, count(*) as clicks, count(*) over () as total_rows from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz group by 1 order by "clicks" desc fetch first $4 rows with ties
) ranked;

-- from facts, filtered by path and country
select value as text, clicks::float8 as clicks, total_rows::float8 as total_rows
from (
  select "device_type" as value, count(*) as clicks, count(*) over () as total_rows from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]) group by 1 order by "clicks" desc fetch first $5 rows with ties
) ranked;
