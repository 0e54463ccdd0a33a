import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { emptySql, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { instant, type Span } from './series';
import { matches, selectsHits, sessionsIn } from './sessions';

/** The rows `e` of a table of events that lie in a span and that filters select; ` and …` may follow. */
export const eventsIn = (context: QueryContext, model: ReadModel, span: Span): Sql =>
  eventsOf(context, context.table(model), span);

/** The same of a subquery, which has the website, time, visitor, session and path of each event. */
export const eventsOf = (context: QueryContext, events: Sql, span: Span): Sql =>
  sql`${events} e
  where e.website = ${context.website} and e.at >= ${instant(span.from)} and e.at < ${instant(span.to)}${ofPages(context)}${ofSessions(context, span)}`;

/** Filters on pages select events `e` by their own path; only page views have a query string. */
export function ofPages({ filters }: QueryContext): Sql {
  const conditions = filters
    .filter(selectsHits)
    .map((filter) => sql` and ${matches(filter.field === 'path' ? sql`e.path` : sql`0`, filter)}`);
  return joinSql(conditions, '');
}

/** All other filters select events `e` by their session. */
function ofSessions(context: QueryContext, span: Span): Sql {
  if (context.filters.every(selectsHits)) return emptySql;
  return sql`
  and (coalesce(e.visitor, e.session), e.session) in (
    select coalesce(s.visitor, s.session), s.session from ${sessionsIn(context, span)})`;
}

/** How many different sessions events `e` lie in. */
export const distinctSessions = sql`count(distinct (e.visitor, e.session)) filter (where e.session is not null)`;
