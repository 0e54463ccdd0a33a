import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { ERROR_TEXT, errors, errorTexts } from '@ledgerline/contracts/read-models/website-errors';
import { countryName } from '@ledgerline/domain/query/countries';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, orNull, text, textIn, timestamp } from '../../fields';
import { singles } from '../../counting/singles';
import { queryType, type QueryContext } from '../../query-type';
import { hasDays, sumsByDays } from '../../sql/rollups';
import { eventsIn, pageOf } from '../../sql/event-facts';
import { UNKNOWN } from '../../labels';
import { withoutDashes } from './session-events';

/** Of the session where it has a page view, else of the error itself. */
const ATTRIBUTES = ['browser_name', 'os_name', 'device_type', 'country'];
const TEXTS = ['message', 'path', 'filename', 'error_type'];

export const recentErrors = queryType({
  name: 'recent_errors',
  about: 'website',
  shape: 'list',
  category: 'Errors',
  description: 'Latest JavaScript errors, newest first',
  fields: {
    message: text,
    stack: orNull(text),
    path: text,
    visitor_id: orNull(text),
    session_id: orNull(text),
    timestamp,
    filename: orNull(text),
    lineno: orNull(count),
    colno: orNull(count),
    error_type: orNull(text),
    browser_name: text,
    os_name: text,
    device_type: text,
    country: text,
  },
  isComparable: false,
  sortedBySql: ['timestamp'],
  countRows,
  sources: { facts: fromFacts },
  sessionColumns: singles('errors'),
  row: (found) => ({
    visitor_id: withoutDashes(textIn(found, 'visitor')) || null,
    session_id: withoutDashes(textIn(found, 'session')) || null,
    browser_name: textIn(found, 'browser_name') || UNKNOWN,
    os_name: textIn(found, 'os_name') || UNKNOWN,
    device_type: textIn(found, 'device_type') || UNKNOWN,
    country: countryName(textIn(found, 'country')) || UNKNOWN,
  }),
});

function countRows(context: QueryContext): Sql {
  if (!hasDays(context)) return sql`select count(*)::float8 as total_rows from ${eventsIn(context, errors)}`;
  const also = sql` and kind = ${ERROR_TEXT.type}`;
  const sums = sumsByDays(context, errorTexts, { columns: ['errors'], by: ['kind'], also });
  return sql`select sum(errors) as total_rows from (${sums}) sums`;
}

function fromFacts(context: QueryContext): Sql {
  const direction = context.sort?.direction === 'asc' ? sql`asc` : sql`desc`;
  const order = sql`order by e.at ${direction}, e.id ${direction}`;
  const textOf = (id: Sql, name: string) => sql`
  (select text from dictionary where id = ${id}) as ${identifier(name)}`;
  const texts = [
    ...TEXTS.map((name) => textOf(identifier('e', name), name)),
    ...ATTRIBUTES.map((name) => textOf(sql`coalesce(${identifier('s', name)}, ${identifier('e', name)})`, name)),
  ];
  return sql`
with page as (
  select e.* from ${eventsIn(context, errors)}
  ${order} ${pageOf(context)}
)
select e.at as timestamp, e.visitor, e.session, e.stack, e.lineno::float8 as lineno, e.colno::float8 as colno,${joinSql(texts, ',')}
from page e
left join ${context.table(sessions)} s
  on s.website = ${context.website} and s.actor = coalesce(e.visitor, e.session) and s.session = e.session
  and s.entered_at is not null
${order}`;
}
