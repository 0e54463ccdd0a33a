-- from days
with pages as (
  select *, count(*) over () as total_rows from (
  select "value", sum(b.sign * "form_starts") as "form_starts", sum(b.sign * "form_submits") as "form_submits" from 
  unnest($1::smallint[], $2::date[], $3::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "form_starts"::float8 as "form_starts", "form_submits"::float8 as "form_submits" from "websites_v1"."page_events"
    where website = $4 and span = b.span and day = b.day offset 0
  ) t
  group by "value") forms where form_starts >= $5 order by "form_starts" desc fetch first $6 rows with ties
)
select coalesce(d.text, '') as text, r."form_starts"::float8 as "form_starts", r."form_submits"::float8 as "form_submits", (select text from dictionary where id = r."top_abandoned_field") as "top_abandoned_field", r.total_rows::float8 as total_rows
from (select * from (
  select pages.*, abandoned.target as top_abandoned_field
  from pages left join (
    select distinct on (c.value) c.value as path, c.text as target
    from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $10 and span = b.span and day = b.day and kind = $11 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") c join dictionary d on d.id = c.text
    where c.times > 0
    order by c.value, c.times desc, d.text collate "C") abandoned on abandoned.path = value) grouped order by "form_starts" desc, "form_submits" desc fetch first $12 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $13;
