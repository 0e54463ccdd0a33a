-- from fifteenMinutes
select sum(clicks)::float8 as total, sum(visitors)::float8 as "unique"
from (
  select clicks, visitors from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select clicks, visitors from "links_v1"."link_clicks_15min"
    where link_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t
  union all
  select 0, -visitors from unnest(
    $6::int[], $7::smallint[], $8::timestamptz[], $9::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select visitors from "links_v1"."link_returns"
    where link_id = $10 and span = b.span and start_15min >= b.since and start_15min < b.until and previous_15min >= $11::timestamptz offset 0
  ) t
) each_block;

-- from facts
select count(*)::float8 as total, (count(distinct actor) filter (where actor <> id))::float8 as "unique"
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz;

-- from facts, filtered by path and country
select count(*)::float8 as total, (count(distinct actor) filter (where actor <> id))::float8 as "unique"
from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[]);
