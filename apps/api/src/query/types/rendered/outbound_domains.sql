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

-- from facts
with grouped as (
  with linked as (
    select d.domain, clicks.visitors
    from (
      select h.text, array_agg(h.visitor) as visitors from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.outgoing_links > 0
  ) h
  where h.kind = $4 and h.at >= $5::timestamptz and h.at < $6::timestamptz
      group by h.text
    ) clicks
    join (
      select distinct value, domain from "websites_v1"."outbound_links_daily" where website = $7
    ) d on d.value = clicks.text
  )
  select domain as value, sum(cardinality(visitors)) as total_clicks, count(*) as unique_links,
    (select count(distinct v) from linked l, unnest(l.visitors) v where l.domain = linked.domain) as unique_users
  from linked group by domain)
select coalesce(d.text, '') as text, r."total_clicks"::float8 as "total_clicks", r."unique_users"::float8 as "unique_users", r."unique_links"::float8 as "unique_links", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("total_clicks") over () as whole, count(*) over () as total_rows from grouped order by "total_clicks" desc, "unique_users" desc, "unique_links" desc fetch first $8 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $9;

-- from facts, filtered by path and country
with grouped as (
  with linked as (
    select d.domain, clicks.visitors
    from (
      select h.text, array_agg(h.visitor) as visitors from (
    select s.visitor, unnest("s"."hit_at") as "at", unnest("s"."hit_kind") as "kind", unnest("s"."hit_path") as "path", unnest("s"."hit_text") as "text"
    from "websites_v1"."sessions" s
  where s.website = $1 and s.last_at >= $2::timestamptz and s.first_at < $3::timestamptz and s.entered_at is not null and "s"."country" = any($4::int[]) and s.outgoing_links > 0
  ) h
  where h.kind = $5 and h.at >= $6::timestamptz and h.at < $7::timestamptz and h.path = any($8::int[])
      group by h.text
    ) clicks
    join (
      select distinct value, domain from "websites_v1"."outbound_links_daily" where website = $9
    ) d on d.value = clicks.text
  )
  select domain as value, sum(cardinality(visitors)) as total_clicks, count(*) as unique_links,
    (select count(distinct v) from linked l, unnest(l.visitors) v where l.domain = linked.domain) as unique_users
  from linked group by domain)
select coalesce(d.text, '') as text, r."total_clicks"::float8 as "total_clicks", r."unique_users"::float8 as "unique_users", r."unique_links"::float8 as "unique_links", r.whole::float8 as whole, total_rows::float8 as total_rows
from (
  select *, sum("total_clicks") over () as whole, count(*) over () as total_rows from grouped order by "total_clicks" desc, "unique_users" desc, "unique_links" desc fetch first $10 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $11;
