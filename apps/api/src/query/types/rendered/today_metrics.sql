-- from days
select pageviews::float8 as pageviews, visitors::float8 as visitors, sessions::float8 as sessions
from "websites_v1"."website_daily" where website = $1 and day = $2::date;
