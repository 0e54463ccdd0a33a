import { RANGE_NAMES, rangeName } from '@ledgerline/domain/sessions/duration-ranges';
import { countOf, leftJoinCounts } from '@ledgerline/domain/counting/count-of';
import * as counts from '@ledgerline/domain/counts/website-counts';
import { ascending, ranked } from '../../ranked';
import { count, oneOf, text } from '../../fields';
import { numberIn } from '../../sql-row';
import { byCounts, queryType, type QueryType } from '../../query-type';
import { listType } from '../../list-type';

export const sessionsByDevice = sessionsBy('device', 'Sessions by device category', 'device_type');
export const sessionsByBrowser = sessionsBy('browser', 'Sessions by browser', 'browser_name');

/** Sessions by their first page view in range, visitors by page views in range, of each value that has sessions. */
function sessionsBy(what: string, description: string, column: 'device_type' | 'browser_name'): QueryType {
  const { measures, ...views } = counts.viewsBy(column);
  return listType({
    name: `sessions_by_${what}`,
    category: 'Sessions',
    description,
    fields: { sessions: count, visitors: count },
    count: leftJoinCounts(
      ['value'],
      countOf(counts.SESSIONS_BY[column]),
      countOf({ ...views, measures: { visitors: measures.visitors } }),
    ),
  });
}

export const sessionDurationDistribution = queryType({
  name: 'session_duration_distribution',
  shape: 'list',
  category: 'Sessions',
  description: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  fields: { duration_range: oneOf(RANGE_NAMES), sessions: count, visitors: count },
  sessionColumns: ascending(countOf(counts.DURATIONS), 'place'),
  row: (found) => ({ duration_range: rangeName(numberIn(found, 'place')) }),
});

/** What steps are ordered by, each descending. */
const STEP_COUNTS = ['transitions', 'sessions'];

export const sessionFlow = queryType({
  name: 'session_flow',
  shape: 'list',
  category: 'Sessions',
  description: 'Steps from one page view of a session to the next one, by the paths of both',
  fields: { from_path: text, to_path: text, transitions: count, sessions: count },
  order: byCounts(STEP_COUNTS, 'from_path', 'to_path'),
  sessionColumns: ranked(countOf(counts.FLOW), { by: STEP_COUNTS, texts: { from_path: 'from', to_path: 'to' } }),
});
