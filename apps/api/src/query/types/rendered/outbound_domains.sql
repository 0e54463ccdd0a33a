-- from days
with grouped as (
  select value, total_clicks, unique_links, coalesce(users.distinct_count, 0) as unique_users
  from (
    select domain as value, sum(total_clicks) as total_clicks, count(distinct value) as unique_links
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, domain, total_clicks from "websites_v1"."outbound_links_daily"
    where website = $4 and span = b.span and day = b.day and total_clicks > 0 offset 0
  ) t
    group by domain
  ) totals
  left join (
  select value, sum("distinct_count") as "distinct_count"
  from (
    select value, b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($5::smallint[], $6::date[], $7::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_domain_users"
    where website = $8 and span = b.span and day = b.day and previous_day = $9::date offset 0
  ) t
    union all
    select value, -b.sign * "distinct_count" as "distinct_count"
    from 
  unnest($10::smallint[], $11::date[], $12::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "distinct_count"::float8 as "distinct_count" from "websites_v1"."outbound_domain_users"
    where website = $13 and span = b.span and day = b.day and previous_day >= $14::date offset 0
  ) t) each_block
  group by value) users using (value))
select coalesce(d.text, '') as text, r."total_clicks"::float8 as "total_clicks", r."unique_users"::float8 as "unique_users", r."unique_links"::float8 as "unique_links", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("total_clicks") over () as whole, count(*) over () as total_rows from grouped order by "total_clicks" desc, "unique_users" desc, "unique_links" desc fetch first $15 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $16;
