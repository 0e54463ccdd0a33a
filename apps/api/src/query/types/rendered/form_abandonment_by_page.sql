-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "form_starts") as "form_starts", sum(b.sign * "form_submits") as "form_submits" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "form_starts"::float8 as "form_starts", "form_submits"::float8 as "form_submits" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day and value > $5 offset 0
  ) t
  group by "value") each_value
  where "form_starts" >= $6 order by "form_starts" desc fetch first $7 rows with ties
)
select coalesce(d.text, '') as text, r."form_starts"::float8 as "form_starts", r."form_submits"::float8 as "form_submits", (select text from dictionary where id = r."top_abandoned_field") as "top_abandoned_field", r.total_rows::float8 as total_rows
from (
  select value, total_rows, coalesce("form_starts", 0) as "form_starts", coalesce("form_submits", 0) as "form_submits", "top_abandoned_field"
  from pages
  left join (
  select distinct on (c.value) c.value, c.text as "top_abandoned_field"
  from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($8::smallint[], $9::date[], $10::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $11 and span = b.span and day = b.day and kind = $12 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") c join dictionary d on d.id = c.text
  where c.times > 0
  order by c.value, c.times desc, d.text collate "C") "part_1" using (value) order by "form_starts" desc, "form_submits" desc fetch first $13 rows with ties
) r
left join dictionary d on d.id = r.value and r.value <> $14;
