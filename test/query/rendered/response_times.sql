-- from fifteenMinutes
select bucket, round(sum(duration_ms) / nullif(sum(checks - failed), 0), 2)::float8 as avg_response_time,
  string_agg(durations, ''::bytea) as added_bins, null::bytea as subtracted_bins
from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select checks, failed, duration_ms, array_send(durations) as durations from "monitors_v1"."monitor_checks_15min"
    where monitor_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t
group by 1;
