import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { browsers, deviceTypes } from '@ledgerline/contracts/read-models/website-dimensions';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, textIn } from '../../fields';
import * as sessionColumns from '../../session-columns/lists';
import { byCounts, queryType, type QueryContext, type QueryType } from '../../query-type';
import { ranked, rankedByDays } from '../../sql/ranked';
import { countedSessionsIn } from '../../sql/sessions';
import { viewsByAttribute } from '../../sql/views';
import { NAME } from './labels';

export const sessionsByDevice = sessionsBy('device', 'Sessions by device category', deviceTypes, 'device_type');
export const sessionsByBrowser = sessionsBy('browser', 'Sessions by browser', browsers, 'browser_name');

/** Sessions by their first page view in range, visitors by page views in range, of each value that has sessions. */
function sessionsBy(what: string, description: string, rollup: ReadModel, column: Attribute): QueryType {
  const counts = ['sessions', 'visitors'];
  return queryType({
    name: `sessions_by_${what}`,
    about: 'website',
    shape: 'list',
    category: 'Sessions',
    description,
    fields: { ...NAME.fields, sessions: count, visitors: count },
    order: byCounts(counts, 'name'),
    sources: {
      days: (context) => rankedByDays(context, { rollup, by: 'sessions', withoutMissing: false }),
      facts: (context) => ranked(fromFacts(context, column), counts, 'visitors', context),
    },
    aggregateInMemory: sessionColumns.sessionsBy(column),
    row: (found) => NAME.of(textIn(found, 'text')),
  });
}

const fromFacts = (context: QueryContext, column: string): Sql => sql`
  select visits.value, visits.sessions, coalesce(views.visitors, 0) as visitors
  from (
    select ${identifier('s', column)} as value, count(*) as sessions
    from ${countedSessionsIn(context)} group by 1
  ) visits
  left join (${viewsByAttribute(column)(context)}) views on views.grouped = visits.value`;
