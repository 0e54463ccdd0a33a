import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { hitsIn, selectsHits, withSelectedView } from '../../sql/sessions';

const WINDOW_MS = 5 * 60_000;

export const activeStats = queryType({
  name: 'active_stats',
  about: 'website',
  shape: 'totals',
  category: 'Summary',
  description: 'Visitors and sessions with any event in the last five minutes, whatever dates are asked for',
  publicAccess: true,
  fields: { active_users: count, active_sessions: count },
  sources: { facts: fromFacts },
});

function fromFacts(context: QueryContext): Sql {
  const { now, filters } = context;
  const kind = filters.some(selectsHits) ? sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})` : sql`true`;
  const of = sql`s.visitor, s.actor, s.session, s.entered_at is not null${withSelectedView(context)} as is_counted`;
  return sql`
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from ${hitsIn(context, { from: now - WINDOW_MS, to: now + 1 }, { kind, of, where: emptySql })}`;
}
