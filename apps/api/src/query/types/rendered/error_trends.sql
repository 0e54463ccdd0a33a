-- from days
select width_bucket(day, $1::date[]) as bucket, errors::float8 as errors, coalesce(users, 0)::float8 as users
from (
  select day, sum(errors) as errors from "websites_v1"."error_texts" where website = $2 and span = 1
    and day between $3::date and $4::date and kind = $5 group by day
) counted
left join (
  select day, distinct_count as users from "websites_v1"."error_users"
  where website = $6 and span = 1
    and day between $7::date and $8::date and value = $9 and previous_day = $10::date
) users using (day);

-- from facts
select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, count(*)::float8 as errors, count(distinct e.visitor)::float8 as users
from "websites_v1"."errors" e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz
group by 1;

-- from facts, filtered by path and country
select ($1::int[])[width_bucket(e.at, ($2::timestamptz[]))] as bucket, count(*)::float8 as errors, count(distinct e.visitor)::float8 as users
from "websites_v1"."errors" e
  where e.website = $3 and e.at >= $4::timestamptz and e.at < $5::timestamptz and e.path = any($6::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $7 and s.last_at >= $8::timestamptz and s.first_at < $9::timestamptz and s.entered_at is not null and "s"."country" = any($10::int[]))
group by 1;
