import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn } from '../../found';
import { websiteTotals } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { selectsHits, withSelectedView } from '../../sql/facts';
import { hitsIn } from '../../sql/hits';
import { WEBSITE_FILTERS } from './filters';

const WINDOW_MS = 5 * 60_000;

export const activeStats = websiteTotals({
  name: 'active_stats',
  category: 'Summary',
  meaning: 'Visitors and sessions with any event in the last five minutes, whatever dates are asked for',
  publicAccess: true,
  allowedFilters: WEBSITE_FILTERS,
  fields: { active_users: count, active_sessions: count },
  answers: { facts: fromFacts },
  row: (found) => ({
    active_users: numberIn(found, 'active_users'),
    active_sessions: numberIn(found, 'active_sessions'),
  }),
});

function fromFacts(question: WebsiteQuestion): Sql {
  const { now, filters } = question;
  const kind = filters.some(selectsHits) ? sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})` : sql`true`;
  const of = sql`s.visitor, s.unit, s.session, s.entered_at is not null${withSelectedView(question)} as is_counted`;
  return sql`
select count(distinct h.visitor)::float8 as active_users,
  count(distinct (h.unit, h.session)) filter (where h.is_counted)::float8 as active_sessions
from ${hitsIn(question, now - WINDOW_MS, now + 1, { kind, of, where: emptySql })}`;
}
