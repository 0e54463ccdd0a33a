import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { countOf } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { count, listOf, orNull, seconds, text, textFields, timestamp } from '../../fields';
import { columnOf, idIn, numberIn, secondsOf, textIn, withoutDashes } from '../../sql-row';
import { queryType, type IdFilter, type QueryContext, type QueryType } from '../../query-type';
import { countedSessionsIn } from '../../sql/sessions';
import { atTimes, directionOf, pageOfRows, sizeOf, textsOf } from '../../sql/single-rows';
import { singleSessions } from '../../ranked';
import { attributesIn } from '../../labels';
import { hitsOfSession, SESSION_EVENT, sessionEvents } from './session-events.query-type';

const SORTS: Readonly<Record<string, string>> = {
  first_visit: 'first_at',
  last_visit: 'last_at',
  duration: 'duration_ms',
  page_views: 'pageviews',
};

const ATTRIBUTES = ['country', 'referrer', 'device_type', 'browser_name', 'os_name'];

export const sessionList = listOfSessions({
  name: 'session_list',
  category: 'Sessions',
  description: 'Individual sessions with their events, newest first',
  sessionColumns: singleSessions({
    first_visit: 'time',
    duration: ({ field }) => field('duration_ms'),
    page_views: ({ unit }) => unit('views').counts,
  }),
});

export const profileSessions = listOfSessions({
  name: 'profile_sessions',
  category: 'Profiles',
  description: 'The sessions of one visitor with their events, newest first',
  requiredFilters: ['visitor_id'],
});

type Declared = Pick<QueryType, 'name' | 'category' | 'description' | 'sessionColumns'> & {
  readonly requiredFilters?: IdFilter[];
};

function listOfSessions(declared: Declared): QueryType {
  return queryType({
    ...declared,
    shape: 'list',
    fields: {
      session_id: text,
      visitor_id: orNull(text),
      first_visit: timestamp,
      last_visit: timestamp,
      duration: seconds,
      page_views: count,
      ...textFields(ATTRIBUTES),
      events: listOf(SESSION_EVENT),
    },
    isComparable: false,
    sortedBySql: Object.keys(SORTS),
    countRows: (context) => sizeOf(countedSessionsIn(context)),
    total: countOf({ ...counts.VISITS, measures: { total_rows: counts.VISITS.measures.sessions } }),
    sources: { facts: fromFacts },
    row: (found) => ({
      session_id: withoutDashes(textIn(found, 'session')),
      visitor_id: idIn(found, 'visitor'),
      duration: secondsOf(numberIn(found, 'duration_ms')),
      ...attributesIn(found, ATTRIBUTES),
      events: sessionEvents(columnOf(found, 'hits')),
    }),
  });
}

function fromFacts(context: QueryContext): Sql {
  const { sort } = context;
  const sorted = identifier('s', SORTS[sort?.field ?? ''] ?? 'first_at');
  return pageOfRows(context, {
    row: 's',
    from: sql`${countedSessionsIn(context)}${atTimes(sql`s.first_at`, context, sorted)}`,
    order: sql`order by ${sort ? sql`${sorted} ${directionOf(context)}, ` : emptySql}s.first_at desc, s.session, s.actor`,
    columns: sql`s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.duration_ms::float8 as duration_ms,
  s.pageviews as page_views,
  ${textsOf('s', ATTRIBUTES)},
  ${hitsOfSession(context)} as hits`,
  });
}
