import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { queryType, type QueryContext } from '../../query-type';
import { lastFiveMinutes } from '../../sql/last-minutes';
import { hitsIn, ofAnyKind, withSelectedView } from '../../sql/sessions';

export const activeStats = queryType({
  name: 'active_stats',
  about: 'website',
  shape: 'totals',
  category: 'Summary',
  description: 'Visitors and sessions with any event in the last five minutes, whatever dates are asked for',
  publicAccess: true,
  isAboutNow: true,
  fields: { active_users: count, active_sessions: count },
  sources: { facts: fromFacts },
});

function fromFacts(context: QueryContext): Sql {
  const of = sql`s.visitor, s.actor, s.session, s.entered_at is not null${withSelectedView(context)} as is_counted`;
  return sql`
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.actor, h.session)) filter (where h.is_counted)::float8 as active_sessions
from ${hitsIn(context, lastFiveMinutes(context), { kind: ofAnyKind(context), of, where: emptySql })}`;
}
