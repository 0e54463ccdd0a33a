import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { hitsIn, instant, selectsHits, sessionsIn } from './facts';

const IS_ACTION = sql`h.kind in (${HIT.custom}, ${HIT.outgoing})`;

/** How many custom events and outgoing links lie in a span; only sessions across its ends need every hit. */
export function actionsIn(question: WebsiteQuestion, from: number, to: number): Sql {
  if (question.filters.some(selectsHits)) {
    return sql`
  select count(*)::float8 from ${hitsIn(question, IS_ACTION, from, to)} and s.custom_events + s.outgoing_links > 0`;
  }
  return sql`
  select sum(
    case when s.first_at >= ${instant(from)} and s.last_at < ${instant(to)} then s.custom_events + s.outgoing_links
    else (
      select count(*) from unnest(s.hit_at, s.hit_kind) as h(at, kind)
      where ${IS_ACTION} and h.at >= ${instant(from)} and h.at < ${instant(to)}
    ) end
  )::float8
  from ${sessionsIn(question, from, to)} and s.custom_events + s.outgoing_links > 0`;
}
