import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import { instant } from './series';
import { atTimes } from './single-rows';
import { matches, selectsHits, sessionFilterSql } from './sessions';

/**
 * The rows `e` of a table of events that lie in the range and that filters select, of a page that was found those of its
 * times; ` and …` may follow.
 */
export const eventsIn = (context: QueryContext, model: ReadModel): Sql =>
  sql`${context.table(model)} e
  where e.website = ${context.website} and e.at >= ${instant(context.from)} and e.at < ${instant(context.to)}${atTimes(sql`e.at`, context)}${ofPages(context)}${ofSessions(context)}`;

/** Filters on pages select events `e` by their own path; only page views have a query string. */
function ofPages({ filters }: QueryContext): Sql {
  const pages = filters.filter(selectsHits);
  return joinSql(
    pages.map((filter) => sql` and ${matches(filter.field === 'path' ? sql`e.path` : sql`0`, filter)}`),
    '',
  );
}

/** All other filters select events `e` by their session. */
function ofSessions(context: QueryContext): Sql {
  if (context.filters.every(selectsHits)) return emptySql;
  return sql`
  and exists (
    select from ${context.table(sessions)} s
    where s.website = e.website and s.actor = e.actor and s.session = e.session${sessionFilterSql(context)}
  )`;
}
