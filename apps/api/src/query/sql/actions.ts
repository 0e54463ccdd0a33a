import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { hitsIn, instant, selectsHits, sessionsIn } from './facts';

/** How many custom events and outgoing links lie in a span. */
export function actionsIn(question: WebsiteQuestion, from: number, to: number): Sql {
  const one = (where: Sql) => sql`
    select count(*) as actions
    from ${hitsIn(question, sql`h.kind in (${HIT.custom}, ${HIT.outgoing})`, from, to)}
    and s.custom_events + s.outgoing_links > 0${where}`;
  if (question.filters.some(selectsHits)) return sql`select actions::float8 from (${one(emptySql)}) counted`;
  const whole = sql`s.first_at >= ${instant(from)} and s.last_at < ${instant(to)}`;
  return sql`
  select sum(actions)::float8 from (
    select sum(s.custom_events + s.outgoing_links) as actions
    from ${sessionsIn(question, from, to)} and ${whole}
    union all${one(sql` and not (${whole})`)}
  ) counted`;
}
