-- from fifteenMinutes
select bucket, sum(clicks)::float8 as clicks
from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select clicks from "links_v1"."link_clicks_15min"
    where link_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t
group by 1;

-- from facts
select ($1::int[])[width_bucket(at, ($2::timestamptz[]))] as bucket, count(*)::float8 as clicks
from "links_v1"."link_clicks"
  where link_id = $3 and at >= $4::timestamptz and at < $5::timestamptz
group by 1;

-- from facts, filtered by path and country
select ($1::int[])[width_bucket(at, ($2::timestamptz[]))] as bucket, count(*)::float8 as clicks
from "links_v1"."link_clicks"
  where link_id = $3 and at >= $4::timestamptz and at < $5::timestamptz and "country" <> all($6::text[])
group by 1;
