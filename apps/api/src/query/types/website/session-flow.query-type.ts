import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../../fields';
import { rankedTransitions, STEP_ORDER, stepsByPaths } from '../../session-columns/steps';
import { queryType, type QueryContext } from '../../query-type';
import { ALWAYS } from '../../sql/series';
import { countedSessionsIn, sessionHitsSql, selectedHit, selectsHits } from '../../sql/sessions';
import { addedTransitions, foundTransitions, transitionsByDays, transitionsFrom } from '../../sql/transitions';

export const sessionFlow = queryType({
  name: 'session_flow',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  description: 'Steps from one page view of a session to the next one, by the paths of both',
  fields: { from_path: text, to_path: text, transitions: count, sessions: count },
  order: STEP_ORDER,
  sources: { days: transitionsByDays, facts: (context) => transitionsFrom(byHits(context)) },
  addUp: {
    days: async (found, context, on) => rankedTransitions(on, context, await addedTransitions(found)),
    facts: (found, context, on) => rankedTransitions(on, context, foundTransitions(found)),
  },
  aggregateInMemory: stepsByPaths,
});

/** Filters on pages select the steps from or to a selected page view, of all page views of a session. */
function byHits(context: QueryContext): Sql {
  const some = sql`(
      select s.website, s.actor, s.visitor, s.session from ${countedSessionsIn(context)} and s.pageviews > 1
    )`;
  const unselected = { ...context, filters: context.filters.filter((filter) => !selectsHits(filter)) };
  const views = sessionHitsSql(unselected, ALWAYS, some, {
    kind: sql`h.kind = ${HIT.view}`,
    of: sql`s.actor, s.session`,
    columns: ['id', 'path', 'text'],
    where: emptySql,
  });
  return sql`
  select from_path, to_path, count(*) as transitions, count(distinct (actor, session)) as sessions
  from (
    select actor, session, path as from_path, lead(path) over following as to_path,
      is_selected or lead(is_selected) over following as is_wanted
    from (select h.*, true${selectedHit(context)} as is_selected from ${views}) v
    window following as (partition by actor, session order by at, id)
  ) steps
  where to_path is not null and is_wanted
  group by from_path, to_path`;
}
