import { aggregate, leftJoin } from '@ledgerline/aggregation/aggregation';
import { AGGREGATES, viewsBy } from '@ledgerline/contracts/aggregates/website-aggregates';
import type { IdFilter } from '@ledgerline/contracts/attributes';
import { DURATION_RANGE_NAMES, rangeName } from '@ledgerline/contracts/sessions/session';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  attributesIn,
  requiredCell,
  count,
  idIn,
  listField,
  numberCell,
  enumField,
  nullableField,
  seconds,
  secondsOf,
  textField,
  textFields,
  textIn,
  timestamp,
  withoutDashes,
} from '../../declaration/fields';
import { listQueryType, singleSessions } from '../../declaration/list-type';
import type { QueryContext } from '../../declaration/query-context';
import { byCounts, queryType, type QueryType } from '../../declaration/query-type';
import { atTimes, directionOf, singlesPageSql, countRowsSql, textsOf } from '../../sql/rows';
import { countedSessionsIn } from '../../sql/sessions';
import { hitsOfSession, SESSION_EVENT, sessionEvents } from './session-events.query-type';

export const sessionsByDevice = sessionsBy('device', 'Sessions by device category', 'device_type');
export const sessionsByBrowser = sessionsBy('browser', 'Sessions by browser', 'browser_name');

/** Sessions by their first page view in range, visitors by page views in range, of each value that has sessions. */
function sessionsBy(what: string, description: string, column: 'device_type' | 'browser_name'): QueryType {
  return listQueryType({
    name: `sessions_by_${what}`,
    category: 'Sessions',
    description,
    fields: { sessions: count, visitors: count },
    count: leftJoin(
      ['value'],
      aggregate(AGGREGATES[`sessions_by_${column}`]),
      aggregate({ ...viewsBy(column), measures: { visitors: 'visitors' } }),
    ),
  });
}

export const sessionDurationDistribution = queryType({
  name: 'session_duration_distribution',
  shape: 'list',
  category: 'Sessions',
  description: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  fields: { duration_range: enumField(DURATION_RANGE_NAMES), sessions: count, visitors: count },
  counting: { plan: { kind: 'sort', of: aggregate(AGGREGATES.durations), by: 'place' } },
  row: (found) => ({ duration_range: rangeName(numberCell(found, 'place')) }),
});

/** The fields by which steps are ordered, each descending. */
const STEP_COUNTS = ['transitions', 'sessions'];

export const sessionFlow = queryType({
  name: 'session_flow',
  shape: 'list',
  category: 'Sessions',
  description: 'Steps from one page view of a session to the next one, by the paths of both',
  fields: { from_path: textField, to_path: textField, transitions: count, sessions: count },
  order: byCounts(STEP_COUNTS, 'from_path', 'to_path'),
  counting: {
    plan: { kind: 'rank', of: aggregate(AGGREGATES.flow), by: STEP_COUNTS },
    texts: { from_path: 'from', to_path: 'to' },
  },
});

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
  counting: singleSessions({
    first_visit: 'time',
    duration: { field: 'duration_ms' },
    page_views: { unit: 'views' },
  }),
});

export const profileSessions = listOfSessions({
  name: 'profile_sessions',
  category: 'Profiles',
  description: 'The sessions of one visitor with their events, newest first',
  takes: { filters: ['visitor_id'] },
});

type Declared = Pick<QueryType, 'name' | 'category' | 'description' | 'counting'> & {
  readonly takes?: { readonly filters: readonly IdFilter[] };
};

function listOfSessions(declared: Declared): QueryType {
  return queryType({
    ...declared,
    shape: 'list',
    fields: {
      session_id: textField,
      visitor_id: nullableField(textField),
      first_visit: timestamp,
      last_visit: timestamp,
      duration: seconds,
      page_views: count,
      ...textFields(ATTRIBUTES),
      events: listField(SESSION_EVENT),
    },
    sources: {
      facts: fromFacts,
      singles: {
        sortedBy: Object.keys(SORTS),
        countRows: (context) => countRowsSql(countedSessionsIn(context)),
        total: aggregate({ ...AGGREGATES.sessions, measures: { total_rows: 'count' } }),
      },
    },
    row: (found) => ({
      session_id: withoutDashes(textIn(found, 'session')),
      visitor_id: idIn(found, 'visitor'),
      duration: secondsOf(numberCell(found, 'duration_ms')),
      ...attributesIn(found, ATTRIBUTES),
      events: sessionEvents(requiredCell(found, 'hits')),
    }),
  });
}

function fromFacts(context: QueryContext): Sql {
  const { sort } = context;
  const sorted = identifier('s', SORTS[sort?.field ?? ''] ?? 'first_at');
  return singlesPageSql(context, {
    row: 's',
    from: sql`${countedSessionsIn(context)}${atTimes(sql`s.first_at`, context, sorted)}`,
    order: sql`order by ${sort ? sql`${sorted} ${directionOf(context)}, ` : emptySql}s.first_at desc, s.session, s.actor`,
    columns: sql`s.session, s.visitor, s.first_at as first_visit, s.last_at as last_visit, s.duration_ms::float8 as duration_ms,
  s.pageviews as page_views,
  ${textsOf('s', ATTRIBUTES)},
  ${hitsOfSession(context)} as hits`,
  });
}
