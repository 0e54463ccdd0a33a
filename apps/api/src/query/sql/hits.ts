import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { instant, selectedHit, selectsHits, sessionsIn } from './facts';

type HitColumn = 'id' | 'path' | 'word' | 'more';

export interface WantedHits {
  /** Condition on the kind of a hit `h`. */
  readonly kind: Sql;
  /** What comes with each hit of its session `s`. */
  readonly of: Sql;
  /** What comes of each hit beside its time and kind. */
  readonly columns?: readonly HitColumn[];
  /** Further conditions on sessions, each with its `and`. */
  readonly where: Sql;
}

/** The hits `h` that lie in a span and that filters select; ` and …` may follow. */
export const hitsIn = (question: WebsiteQuestion, from: number, to: number, wanted: WantedHits): Sql => sql`(
    select ${wanted.of}, ${unnested(question, 's', wanted)}
    from ${sessionsIn(question, from, to)}${wanted.where}
  ) h${conditions(question, from, to, wanted)}`;

/** The same of sessions that begin before the span or end after it, in two parts. TRICKY: Postgres finds both by index, but not either. */
export const hitsAcrossEnds = (question: WebsiteQuestion, from: number, to: number, wanted: WantedHits): Sql[] =>
  [sql`s.first_at < ${instant(from)} and s.last_at < ${instant(to)}`, sql`s.last_at >= ${instant(to)}`].map((cut) =>
    hitsOfFew(question, from, to, { ...wanted, where: sql`${wanted.where} and ${cut}` }),
  );

/**
 * The same where few sessions are wanted, by conditions that their index holds but cannot find. TRICKY: `offset 0`
 * keeps Postgres from reading the wide table instead, as it cannot know that they are few.
 */
export const hitsOfFew = (question: WebsiteQuestion, from: number, to: number, wanted: WantedHits): Sql => sql`(
    select ${wanted.of}, ${unnested(question, 'x', wanted)}
    from ${sessionsIn(question, from, to, wholeRow(question))}${wanted.where}
  ) h${conditions(question, from, to, wanted)}`;

/** The same of the sessions `s` of a subquery, which has their website, visitor and session. */
export const hitsOf = (question: WebsiteQuestion, from: number, to: number, some: Sql, wanted: WantedHits): Sql => sql`(
    select ${wanted.of}, ${unnested(question, 'x', wanted)}
    from ${some} s${wholeRow(question)}
    where true${wanted.where}
  ) h${conditions(question, from, to, wanted)}`;

/** The table's own row of a session of which only the index has been read. */
const wholeRow = (question: WebsiteQuestion): Sql => sql`
    cross join lateral (
      select * from ${question.table(sessions)} x
      where x.website = s.website and x.unit = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x`;

const conditions = (question: WebsiteQuestion, from: number, to: number, { kind }: WantedHits): Sql => sql`
  where ${kind} and h.at >= ${instant(from)} and h.at < ${instant(to)}${selectedHit(question)}`;

/** TRICKY: in the select list, which costs Postgres a third of what a lateral join on the arrays does. */
function unnested({ filters }: WebsiteQuestion, row: string, { columns = [] }: WantedHits): Sql {
  const selected: readonly HitColumn[] = filters.some(selectsHits) ? ['path', 'word'] : [];
  const names = new Set(['at', 'kind', ...selected, ...columns]);
  return joinSql(
    [...names].map((name) => sql`unnest(${identifier(row, `hit_${name}`)}) as ${identifier(name)}`),
    ', ',
  );
}
