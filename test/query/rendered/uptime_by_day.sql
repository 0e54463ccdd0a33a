-- from fifteenMinutes
select bucket, sum(checks)::float8 as total_checks, sum(failed)::float8 as failed_checks
from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select checks, failed from "monitors_v1"."monitor_checks_15min"
    where monitor_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t
group by 1;
