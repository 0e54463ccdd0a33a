-- from fifteenMinutes
select sum(checks)::float8 as total_checks, sum(failed)::float8 as failed_checks, min(d.seconds) as downtime_seconds,
  min(d.incidents) as incidents
from unnest(
    $1::int[], $2::smallint[], $3::timestamptz[], $4::timestamptz[]
  ) as b(bucket, span, since, until)
  cross join lateral (
    select checks, failed from "monitors_v1"."monitor_checks_15min"
    where monitor_id = $5 and span = b.span and start_15min >= b.since and start_15min < b.until offset 0
  ) t
right join (
  select count(*)::float8 as incidents,
    coalesce(sum(extract(epoch from least(ended, $6::timestamptz) - greatest(started_at, $7::timestamptz))), 0)::float8 as seconds
  from (
    select started_at, coalesce(ended_at, case
      when $8 or $9::timestamptz - last_at > make_interval(secs => $10 * interval_seconds) then last_at
      else $11::timestamptz end) as ended
    from "monitors_v1"."monitor_downtimes" join "monitors_v1"."monitor_states" using (monitor_id)
    where monitor_id = $12 and started_at < $13::timestamptz
  ) each_downtime
  where ended > $14::timestamptz) d on true;
