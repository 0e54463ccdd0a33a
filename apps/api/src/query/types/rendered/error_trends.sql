-- from days
select width_bucket(day, $1::date[]) as bucket, "errors"::float8 as "errors", 
  coalesce(users.distinct_count, 0)::float8 as "users"
from (
  select day, sum(errors) as "errors" from "websites_v1"."error_texts" where website = $2 and span = 1
    and day between $3::date and $4::date and kind = $5 group by day
) figures
left join (
  select day, distinct_count from "websites_v1"."error_users"
  where website = $6 and span = 1
    and day between $7::date and $8::date and value = $9 and previous_day = $10::date
) users using (day);
