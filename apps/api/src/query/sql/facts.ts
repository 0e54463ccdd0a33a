import { HIT, sessions } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion, WordFilter } from '../question';

/** Filters on these select hits; all others select sessions by a column of the filter's name. */
const HIT_FIELDS: ReadonlySet<string> = new Set(['path', 'query_string']);

export const selectsHits = ({ field }: WordFilter): boolean => HIT_FIELDS.has(field);

export const instant = (at: number): Sql => sql`${new Date(at)}::timestamptz`;

/** The sessions `s` of a website with a hit in some span, and what the request's filters leave of them. */
export const sessionsIn = (question: WebsiteQuestion, from: number, to: number, joined = emptySql): Sql =>
  sql`${question.table(sessions)} s${joined}
  where s.website = ${question.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${ofVisits(question)}`;

/** Of a session `s`: it lies wholly in a span. */
export const wholly = (from: number, to: number): Sql =>
  sql`s.first_at >= ${instant(from)} and s.last_at < ${instant(to)}`;

/** The counted sessions `s` whose first page view is in a span, with at least one page view that filters select. */
export const countedSessionsIn = (
  question: WebsiteQuestion,
  from: number,
  to: number,
): Sql => sql`${sessionsIn(question, from, to)}
  and s.entered_at >= ${instant(from)} and s.entered_at < ${instant(to)}${withSelectedView(question)}`;

/** Attributes are those of the first page view, so a session without one has none to select it by. */
function ofVisits({ filters }: WebsiteQuestion): Sql {
  const visits = filters.filter((filter) => !selectsHits(filter));
  if (visits.length === 0) return emptySql;
  const conditions = visits.map((filter) => matches(identifier('s', filter.field), filter));
  return sql` and s.entered_at is not null and ${joinSql(conditions, ' and ')}`;
}

export function withSelectedView(question: WebsiteQuestion): Sql {
  if (!question.filters.some(selectsHits)) return emptySql;
  return sql`
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_word) as h(kind, path, word)
    where h.kind = ${HIT.view}${selectedHit(question)})`;
}

/** Conditions on a hit `h`: its path (0 = none), and its query string, which only page views have. */
export function selectedHit({ filters }: WebsiteQuestion): Sql {
  const conditions = filters.filter(selectsHits).map((filter) => {
    const query = sql`case when h.kind = ${HIT.view} then h.word else 0 end`;
    return sql` and ${matches(filter.field === 'path' ? sql`h.path` : query, filter)}`;
  });
  return joinSql(conditions, '');
}

const matches = (value: Sql, { ids, negated }: WordFilter): Sql =>
  negated ? sql`${value} <> all(${ids}::int[])` : sql`${value} = any(${ids}::int[])`;
