-- from quarters
select width_bucket(quarter, ($1::timestamptz[])) as bucket, count(distinct value)::float8 as value
from "links_v1"."link_referrers"
  where link_id = $2 and quarter >= $3::timestamptz and quarter < $4::timestamptz and clicks > 0 and value <> ''
group by 1;

-- from facts
select width_bucket(at, ($1::timestamptz[])) as bucket, count(distinct "referrer")::float8 as value
from "links_v1"."link_clicks"
  where link_id = $2 and at >= $3::timestamptz and at < $4::timestamptz and "referrer" <> ''
group by 1;

-- from facts, filtered by path and country
select width_bucket(at, ($1::timestamptz[])) as bucket, count(distinct "referrer")::float8 as value
from "links_v1"."link_clicks"
  where link_id = $2 and at >= $3::timestamptz and at < $4::timestamptz and "country" <> all($5::text[]) and "referrer" <> ''
group by 1;
