import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { selectsHits, sessionsIn, wholly } from './facts';
import { hitsAcrossEnds, hitsIn } from './hits';

/** How many custom events and outgoing links lie in a span; only sessions across its ends need every hit. */
export function actionsIn(question: WebsiteQuestion, from: number, to: number): Sql {
  const where = sql` and s.custom_events + s.outgoing_links > 0`;
  const each = { kind: sql`h.kind in (${HIT.custom}, ${HIT.outgoing})`, of: sql`s.session`, where };
  const countOf = (hits: Sql) => sql`(select count(*) from ${hits})`;
  if (question.filters.some(selectsHits)) return countOf(hitsIn(question, from, to, each));
  const whole = sql`(
    select coalesce(sum(s.custom_events + s.outgoing_links), 0)
    from ${sessionsIn(question, from, to)}${where} and ${wholly(from, to)})`;
  return joinSql([whole, ...hitsAcrossEnds(question, from, to, each).map(countOf)], ' + ');
}
