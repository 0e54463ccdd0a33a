-- from quarters
select value as word, clicks::float8 as clicks from (
  select value, sum(clicks) as clicks
  from "links_v1"."link_countries"
  where link_id = $1 and quarter >= $2::timestamptz and quarter < $3::timestamptz
  group by value having sum(clicks) > 0) grouped order by "clicks" desc fetch first $4 rows with ties;

-- from facts
select value as word, clicks::float8 as clicks from (
  select "country" as value, count(*) as clicks
  from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz
  group by 1) grouped order by "clicks" desc fetch first $4 rows with ties;

-- from facts, filtered by path and country
select value as word, clicks::float8 as clicks from (
  select "country" as value, count(*) as clicks
  from "links_v1"."link_clicks"
  where link_id = $1 and at >= $2::timestamptz and at < $3::timestamptz and "country" <> all($4::text[])
  group by 1) grouped order by "clicks" desc fetch first $5 rows with ties;
