-- from days
with known as (
  select *, count(*) over () as total_rows, (
    select coalesce(sum("timed_visitors"), 0)::float8
    from (
    select value, b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value = $6 group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $10 and span = b.span and day = b.day and previous_day >= $11::date and value = $12 group by 1 offset 0
  ) t) each_block
  ) as whole from (
  select "value", sum(b.sign * "timed") as "timed" from 
  unnest($13::smallint[], $14::date[], $15::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "timed"::float8 as "timed" from "websites_v1"."page_visits"
    where website = $16 and span = b.span and day = b.day and previous_day = $17::date and value > $18 offset 0
  ) t
  group by "value") each_value
  where "timed" >= $19
), likely as (
  select value from known order by "timed" desc limit $20
), likely_counted as (
  select value, sum("timed_sessions") as "timed_sessions", sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_sessions" as "timed_sessions", b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($21::smallint[], $22::date[], $23::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $24 and span = b.span and day = b.day and previous_day = $25::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($26::smallint[], $27::date[], $28::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $29 and span = b.span and day = b.day and previous_day >= $30::date and value = any(array(select value from likely)) group by 1 offset 0
  ) t) each_block
  group by value
), pages as (
  select * from known where "timed" >= (
    select coalesce(min(coalesce("timed_sessions", 0)), 0) from likely left join likely_counted using (value)
  )
), others as (
  select value from pages except select value from likely
), counted as (
  select * from likely_counted union all (
  select value, sum("timed_sessions") as "timed_sessions", sum("timed_visitors") as "timed_visitors"
  from (
    select value, b.sign * "timed_sessions" as "timed_sessions", b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($31::smallint[], $32::date[], $33::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $34 and span = b.span and day = b.day and previous_day = $35::date and value = any(array(select value from others)) group by 1 offset 0
  ) t
    union all
    select value, -b.sign * "timed_sessions" as "timed_sessions", -b.sign * "timed_visitors" as "timed_visitors"
    from 
  unnest($36::smallint[], $37::date[], $38::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, sum("timed_sessions")::float8 as "timed_sessions", sum("timed_visitors")::float8 as "timed_visitors" from "websites_v1"."page_visits"
    where website = $39 and span = b.span and day = b.day and previous_day >= $40::date and value = any(array(select value from others)) group by 1 offset 0
  ) t) each_block
  group by value)
)
select coalesce(d.text, '') as text, r."timed"::float8 as "timed", r."sessions_with_time"::float8 as "sessions_with_time", r."visitors"::float8 as "visitors", r.whole::float8 as whole, r.total_rows::float8 as total_rows, bins.*
from (
  select value, total_rows, coalesce("timed", 0) as "timed", coalesce("sessions_with_time", 0) as "sessions_with_time", coalesce("visitors", 0) as "visitors", whole
  from pages
  left join (
  select value, "timed_sessions" as "sessions_with_time", "timed_visitors" as "visitors"
  from (select * from counted) named) "part_1" using (value) order by "sessions_with_time" desc, "visitors" desc fetch first $41 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $42
cross join lateral (
    select string_agg(array_send(bins), ''::bytea) filter (where b.sign = 1) as added_bins,
      string_agg(array_send(bins), ''::bytea) filter (where b.sign = -1) as subtracted_bins
    from 
  unnest($43::smallint[], $44::date[], $45::int[]) as b(span, day, sign)
  cross join lateral (
    select "time_bins" as bins from "websites_v1"."page_visits"
    where website = $46 and span = b.span and day = b.day and previous_day = $47::date and value = r.value offset 0
  ) t) bins;
