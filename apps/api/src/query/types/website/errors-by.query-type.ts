import { errorPageUsers, pageEvents } from '@ledgerline/contracts/read-models/page-events';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NEVER } from '@ledgerline/contracts/read-models/read-model';
import { ERROR_TEXT, errorTexts, errorUsers } from '@ledgerline/contracts/read-models/website-errors';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text, textIn, timestamp } from '../../fields';
import { BUCKET } from '../../counting/keys';
import { counted, rowsOf } from '../../counting/counted';
import { COUNT, greatest, VISITORS } from '../../counting/measures';
import { ranked } from '../../counting/ranked';
import { byCounts, queryType, type QueryContext } from '../../query-type';
import { distinctCounts, rowsOfDays, sumsByDays, topNWithTies, TOTAL_ROWS } from '../../sql/rollups';
import { listed } from '../../sql/listed';
import { among } from '../../sql/page-counts';
import { bucketOfDay, lastDayOf } from '../../sql/series';
import { NAME } from '../../labels';

const TYPE_COUNTS = ['count', 'users'];
const PAGE_COUNTS = ['errors', 'users'];

const byType = counted({
  of: 'errors',
  by: { value: 'error_type' },
  measures: { count: COUNT, users: VISITORS, last_seen: greatest('at') },
});
const OF_PAGE = { errors: COUNT, users: VISITORS };
const byPath = counted({ of: 'errors', by: { value: 'path' }, measures: OF_PAGE });
const byBucket = counted({ of: 'errors', by: { bucket: BUCKET }, measures: OF_PAGE });

export const errorTypes = queryType({
  name: 'error_types',
  about: 'website',
  shape: 'list',
  category: 'Errors',
  description: 'Errors by type, such as TypeError',
  publicAccess: true,
  fields: { name: text, count, users: count, last_seen: timestamp },
  order: byCounts(TYPE_COUNTS, 'name'),
  sources: { days: byTypeAndDays },
  sessionColumns: ranked(byType, { by: TYPE_COUNTS }),
  row: (found) => NAME.of(textIn(found, 'text')),
});

export const errorsByPage = queryType({
  name: 'errors_by_page',
  about: 'website',
  shape: 'list',
  category: 'Errors',
  description: 'Errors by the page they happened on',
  publicAccess: true,
  fields: { name: text, errors: count, users: count },
  order: byCounts(PAGE_COUNTS, 'name'),
  sources: { days: byPathAndDays },
  sessionColumns: ranked(byPath, { by: PAGE_COUNTS }),
  row: (found) => ({ name: textIn(found, 'text') }),
});

export const errorTrends = queryType({
  name: 'error_trends',
  about: 'website',
  shape: 'series',
  category: 'Errors',
  description: 'Errors and the visitors who had them over time',
  publicAccess: true,
  fields: { date: text, errors: count, users: count },
  sources: { days: byDay },
  sessionColumns: rowsOf(byBucket),
});

const OF_TYPES = sql` and kind = ${ERROR_TEXT.type}`;

function byTypeAndDays(context: QueryContext): Sql {
  const users = distinctCounts(context, errorUsers, { also: sql` and value > ${EVERY_VALUE}` });
  return sql`
with grouped as (
  select value, count, coalesce(distinct_count, 0) as users, last_seen
  from (
    select value, sum(errors) as count, max(last_at) as last_seen
    from ${rowsOfDays(context, errorTexts, { columns: sql`value, errors, last_at`, also: OF_TYPES })}
    group by value
  ) types
  left join (${users}) users using (value)
)
select coalesce(d.text, '') as text, r.count::float8 as count, r.users::float8 as users, r.last_seen,
  r.total_rows::float8 as total_rows
from (select *, ${TOTAL_ROWS} from grouped${topNWithTies(TYPE_COUNTS, context)}) r
left join dictionary d on d.id = r.value and r.value <> ${NO_TEXT}`;
}

function byPathAndDays(context: QueryContext): Sql {
  const events = sumsByDays(context, pageEvents, { columns: ['errors'], by: ['value'] });
  const users = distinctCounts(context, errorPageUsers, { also: among(sql`pages`) });
  const grouped = sql`
  select value, errors, coalesce(distinct_count, 0) as users, total_rows from pages left join (${users}) users using (value)`;
  return sql`
with pages as (
  select *, ${TOTAL_ROWS} from (${events}) events where errors > 0${topNWithTies(['errors'], context)}
)${listed(grouped, { counts: PAGE_COUNTS }, context)}`;
}

function byDay(context: QueryContext): Sql {
  const { table, website, startDate } = context;
  const days = sql`website = ${website} and span = 1
    and day between ${startDate}::date and ${lastDayOf(context)}::date`;
  return sql`
select ${bucketOfDay(context, sql`day`)} as bucket, errors::float8 as errors, coalesce(users, 0)::float8 as users
from (
  select day, sum(errors) as errors from ${table(errorTexts)} where ${days}${OF_TYPES} group by day
) counted
left join (
  select day, distinct_count as users from ${table(errorUsers)}
  where ${days} and value = ${EVERY_VALUE} and previous_day = ${NEVER}::date
) users using (day)`;
}
