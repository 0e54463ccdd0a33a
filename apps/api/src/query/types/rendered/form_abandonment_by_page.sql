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
select * from (
with grouped as (
  select pages.*, abandoned.target as top_abandoned_field
  from pages left join (
    select distinct on (c.path) c.path, c.target
    from (select value as path, text as target, times from (
  select "value", "text", sum(b.sign * "times") as "times" from 
  unnest($7::smallint[], $8::date[], $9::int[]) as b(span, day, sign)
  cross join lateral (
    select "value", "text", "times"::float8 as "times" from "websites_v1"."page_texts"
    where website = $10 and span = b.span and day = b.day and kind = $11 and value = any(array(select value from pages)) offset 0
  ) t
  group by "value", "text") texts where times > 0) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") abandoned on abandoned.path = value)
select coalesce(d.text, '') as text, r."form_starts"::float8 as "form_starts", r."form_submits"::float8 as "form_submits", (select text from dictionary where id = r."top_abandoned_field") as "top_abandoned_field", r.total_rows::float8 as total_rows
from (select * from grouped order by "form_starts" desc, "form_submits" desc fetch first $12 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $13) listed;

-- from facts
with grouped as (
  with spans as (
    select e.path, e.last_field, e.form_fields > 0 as is_started, e.form_submits > 0 as is_submitted
    from "websites_v1"."engagement_spans" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and (e.form_fields > 0 or e.form_submits > 0)
  )
  select forms.*, abandoned.target as top_abandoned_field
  from (
    select path as value, count(*) filter (where is_started) as form_starts,
      count(*) filter (where is_submitted) as form_submits
    from spans group by path
  ) forms
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, last_field as target, count(*) as times
    from spans where is_started and not is_submitted and last_field <> $4
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") abandoned on abandoned.path = forms.value
  where form_starts >= $5)
select coalesce(d.text, '') as text, r."form_starts"::float8 as "form_starts", r."form_submits"::float8 as "form_submits", (select text from dictionary where id = r."top_abandoned_field") as "top_abandoned_field", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "form_starts" desc, "form_submits" desc fetch first $6 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $7;

-- from facts, filtered by path and country
with grouped as (
  with spans as (
    select e.path, e.last_field, e.form_fields > 0 as is_started, e.form_submits > 0 as is_submitted
    from "websites_v1"."engagement_spans" e
  where e.website = $1 and e.at >= $2::timestamptz and e.at < $3::timestamptz and e.path = any($4::int[])
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from "websites_v1"."sessions" s
  where s.website = $5 and s.last_at >= $6::timestamptz and s.first_at < $7::timestamptz and s.entered_at is not null and "s"."country" = any($8::int[])) and (e.form_fields > 0 or e.form_submits > 0)
  )
  select forms.*, abandoned.target as top_abandoned_field
  from (
    select path as value, count(*) filter (where is_started) as form_starts,
      count(*) filter (where is_submitted) as form_submits
    from spans group by path
  ) forms
  left join (
    select distinct on (c.path) c.path, c.target
    from (
    select path, last_field as target, count(*) as times
    from spans where is_started and not is_submitted and last_field <> $9
    group by 1, 2) c join dictionary d on d.id = c.target
    order by c.path, c.times desc, d.text collate "C") abandoned on abandoned.path = forms.value
  where form_starts >= $10)
select coalesce(d.text, '') as text, r."form_starts"::float8 as "form_starts", r."form_submits"::float8 as "form_submits", (select text from dictionary where id = r."top_abandoned_field") as "top_abandoned_field", r.total_rows::float8 as total_rows
from (select *, count(*) over () as total_rows from grouped order by "form_starts" desc, "form_submits" desc fetch first $11 rows with ties) r
left join dictionary d on d.id = r.value and r.value <> $12;
