-- from days
select encode(string_agg(int4send(from_path), '' order by taken desc), 'base64') as paths, encode(string_agg(int4send(taken::integer), '' order by taken desc), 'base64') as taken
from (
  select from_path, sum(taken) as taken
  from (
  select "from_path", sum(b.sign * "taken") as "taken" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "from_path", "taken"::float8 as "taken" from "websites_v1"."page_transitions"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
  group by "from_path"
    union all
    select from_path, transitions from "websites_v1"."latest_transitions"
  where website = $5 and day between $6::date and $7::date
  ) each_part
  group by from_path having sum(taken) > 0
) steps;
