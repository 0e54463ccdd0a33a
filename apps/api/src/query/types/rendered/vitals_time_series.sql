-- from days
select width_bucket(day, $1::date[]) as bucket, metric, samples::float8 as samples,
  case when samples >= $2 then array_send(bins) end as added_bins, null::bytea as subtracted_bins
from "websites_v1"."page_vitals"
where website = $3 and span = 1 and day between $4::date and $5::date
  and value = $6;
