import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../fields';
import { numberIn } from '../found';
import { websiteTotals } from '../query-type';
import type { WebsiteQuestion } from '../question';
import { hitsIn, selectsHits, withSelectedView } from '../sql/facts';
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
  const kinds = filters.some(selectsHits) ? sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})` : sql`true`;
  return sql`
select count(distinct s.visitor)::float8 as active_users,
  count(distinct (s.unit, s.session)) filter (where s.entered_at is not null${withSelectedView(question)})::float8
    as active_sessions
from ${hitsIn(question, kinds, now - WINDOW_MS, now + 1)}`;
}
