-- from fifteenMinutes
select bucket, count(*)::float8 as value
from (
  select distinct bucket, value from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select value from "links_v1"."link_referrers"
    where link_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until and value <> '' offset 0
  ) t
) each_value
group by 1;

-- from facts
select ($1::int[])[width_bucket(at, ($2::timestamptz[]))] as bucket, count(distinct "referrer")::float8 as value
from "links_v1"."link_clicks"
  where link_id = $3 and at >= $4::timestamptz and at < $5::timestamptz and "referrer" <> ''
group by 1;

-- from facts, filtered by path and country
select ($1::int[])[width_bucket(at, ($2::timestamptz[]))] as bucket, count(distinct "referrer")::float8 as value
from "links_v1"."link_clicks"
  where link_id = $3 and at >= $4::timestamptz and at < $5::timestamptz and "country" <> all($6::text[]) and "referrer" <> ''
group by 1;
