-- from facts
select width_bucket(e.at, ($1::timestamptz[])) as bucket, count(*)::float8 as errors, count(distinct e.visitor)::float8 as users
from "websites_v1"."errors" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz
group by 1;

-- from facts, filtered by path and country
select width_bucket(e.at, ($1::timestamptz[])) as bucket, count(*)::float8 as errors, count(distinct e.visitor)::float8 as users
from "websites_v1"."errors" e
  where e.website = $2 and e.at >= $3::timestamptz and e.at < $4::timestamptz and e.path = any($5::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $6 and s.last_at >= $7::timestamptz and s.first_at < $8::timestamptz and s.entered_at is not null and "s"."country" = any($9::int[]))
group by 1;
