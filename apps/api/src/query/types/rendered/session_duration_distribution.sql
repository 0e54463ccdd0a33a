-- from days
select value::float8 as place, sessions, visitors
from (
  select value, sum(b.sign * added) as "sessions" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select value, "sessions"::float8 as added from "websites_v1"."session_duration_ranges"
    where website = $4 and span = b.span and day = b.day and previous_day = $5::date and value > $6 offset 0
  ) t
  group by value having sum(b.sign * added) > 0
) added
join (
  select value, sum("visitors") as "visitors"
  from (
    select value, b.sign * "visitors" as "visitors"
    from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "visitors"::float8 as "visitors" from "websites_v1"."session_duration_ranges"
    where website = $10 and span = b.span and day = b.day and previous_day = $11::date offset 0
  ) t
    union all
    select value, -b.sign * "visitors" as "visitors"
    from 
  unnest($12::smallint[], $13::date[], $14::int[]) as b(span, day, sign)
  cross join lateral (
    select value as value, "visitors"::float8 as "visitors" from "websites_v1"."session_duration_ranges"
    where website = $15 and span = b.span and day = b.day and previous_day >= $16::date offset 0
  ) t) each_block
  group by value
) counted using (value)
order by value;

-- from facts
select width_bucket(s.duration_ms, $1::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from "websites_v1"."sessions" s
  where s.website = $2 and s.last_at >= $3::timestamptz and s.first_at < $4::timestamptz
  and s.entered_at >= $5::timestamptz and s.entered_at < $6::timestamptz
group by 1 order by 1;

-- from facts, filtered by path and country
select width_bucket(s.duration_ms, $1::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from "websites_v1"."sessions" s
  where s.website = $2 and s.last_at >= $3::timestamptz and s.first_at < $4::timestamptz and s.entered_at is not null and "s"."country" = any($5::int[])
  and s.entered_at >= $6::timestamptz and s.entered_at < $7::timestamptz
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = $8 and h.path = any($9::int[]))
group by 1 order by 1;
