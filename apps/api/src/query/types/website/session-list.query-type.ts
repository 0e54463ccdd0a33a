import { websiteDaily } from '@ledgerline/contracts/read-models/website-totals';
import { countryName } from '@ledgerline/domain/query/countries';
import type { Row } from '@ledgerline/domain/query/rows';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, listOf, orNull, seconds, text, timestamp } from '../../fields';
import { columnOf, idIn, numberIn, secondsOf, textIn, withoutDashes, type SqlRow } from '../../sql-row';
import { queryType, type IdFilter, type QueryContext, type QueryType } from '../../query-type';
import { hasDays } from '../../sql/rollups';
import { countedSessionsIn } from '../../sql/sessions';
import { REFERRER, UNKNOWN } from '../../labels';
import { hitsOfSession, SESSION_EVENT, sessionEvents } from './session-events.query-type';

const SORTS: Readonly<Record<string, string>> = {
  first_visit: 'first_at',
  last_visit: 'last_at',
  duration: 'duration_ms',
  page_views: 'pageviews',
};

export const ATTRIBUTES = ['country', 'referrer', 'device_type', 'browser_name', 'os_name'];

export const sessionList = listOfSessions({
  name: 'session_list',
  category: 'Sessions',
  description: 'Individual sessions with their events, newest first',
});

export const profileSessions = listOfSessions({
  name: 'profile_sessions',
  category: 'Profiles',
  description: 'The sessions of one visitor with their events, newest first',
  requiredFilters: ['visitor_id'],
});

type Declared = Pick<QueryType, 'name' | 'category' | 'description'> & { readonly requiredFilters?: IdFilter[] };

function listOfSessions(declared: Declared): QueryType {
  return queryType({
    ...declared,
    about: 'website',
    shape: 'list',
    fields: {
      session_id: text,
      visitor_id: orNull(text),
      first_visit: timestamp,
      last_visit: timestamp,
      duration: seconds,
      page_views: count,
      country: text,
      referrer: text,
      device_type: text,
      browser_name: text,
      os_name: text,
      events: listOf(SESSION_EVENT),
    },
    isComparable: false,
    sortedBySql: Object.keys(SORTS),
    countRows,
    sources: { facts: fromFacts },
    row: (found) => ({
      session_id: withoutDashes(textIn(found, 'session')),
      visitor_id: idIn(found, 'visitor'),
      duration: secondsOf(numberIn(found, 'duration_ms')),
      ...attributesOf(found),
      events: sessionEvents(columnOf(found, 'hits')),
    }),
  });
}

/** The labels of a session's {@link ATTRIBUTES}. */
export const attributesOf = (found: SqlRow): Row => ({
  country: countryName(textIn(found, 'country')) || UNKNOWN,
  referrer: REFERRER.of(textIn(found, 'referrer')).name,
  device_type: textIn(found, 'device_type') || UNKNOWN,
  browser_name: textIn(found, 'browser_name') || UNKNOWN,
  os_name: textIn(found, 'os_name') || UNKNOWN,
});

function fromFacts(context: QueryContext): Sql {
  const { page, limit } = context.page;
  const order = orderOf(context);
  const attributes = ATTRIBUTES.map(
    (attribute) => sql`
  (select text from dictionary where id = s.${identifier(attribute)}) as ${identifier(attribute)}`,
  );
  return sql`
with page as (
  select s.* from ${countedSessionsIn(context)}
  ${order} limit ${limit} offset ${(page - 1) * limit}
)
select s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.duration_ms::float8 as duration_ms,
  s.pageviews as page_views,${joinSql(attributes, ',')},
  ${hitsOfSession(context)} as hits
from page s
${order}`;
}

/** As many as the days count, where their rollup can say. */
function countRows(context: QueryContext): Sql {
  const { table, website, startDate, endDate } = context;
  if (!hasDays(context)) {
    return sql`select count(*)::float8 as total_rows from ${countedSessionsIn(context)}`;
  }
  return sql`
select coalesce(sum(sessions), 0)::float8 as total_rows
from ${table(websiteDaily)} where website = ${website} and day between ${startDate}::date and ${endDate}::date`;
}

function orderOf({ sort }: QueryContext): Sql {
  const newestFirst = sql`s.first_at desc, s.session, s.actor`;
  const column = sort ? SORTS[sort.field] : undefined;
  if (!sort || column === undefined) return sql`order by ${newestFirst}`;
  return sql`order by ${identifier('s', column)} ${sort.direction === 'asc' ? sql`asc` : sql`desc`}, ${newestFirst}`;
}
