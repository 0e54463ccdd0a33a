import { HIT, sessions } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion, WordFilter } from '../question';

/** Filters on these select hits; all others select sessions by a column of the filter's name. */
const HIT_FIELDS: ReadonlySet<string> = new Set(['path', 'query_string']);

export const selectsHits = ({ field }: WordFilter): boolean => HIT_FIELDS.has(field);

export const instant = (at: number): Sql => sql`${new Date(at)}::timestamptz`;

/** The sessions `s` of a website with a hit in some span, and what the request's filters leave of them. */
export const sessionsIn = (
  question: WebsiteQuestion,
  from: number,
  to: number,
): Sql => sql`${question.table(sessions)} s
  where s.website = ${question.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${ofVisits(question)}`;

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

/** The hits `h` of one kind that lie in a span and that filters select; `where` goes on. */
export const hitsIn = (
  question: WebsiteQuestion,
  kind: Sql,
  from: number,
  to: number,
): Sql => sql`${question.table(sessions)} s
  cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_word, s.hit_more)
    as h(at, id, kind, path, word, more)
  where s.website = ${question.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${ofVisits(question)}
  and ${kind} and h.at >= ${instant(from)} and h.at < ${instant(to)}${selectedHit(question)}`;

/** How a page view is grouped: by something of its session, or, where that differs within one, of the hit itself. */
export interface Grouping {
  readonly ofHit: Sql;
  /** The same for a session that lies in the span as a whole; absent = a session may have several. */
  readonly ofSession?: Sql;
  /** Only sessions of which this holds. */
  readonly only?: Sql;
  /** What else must hold for all hits of a session to be of one group. */
  readonly undivided?: Sql;
}

/**
 * Page views in a span as (grouped, visitor, views). Sessions that lie in the span as a whole give their count; only
 * the others, and path filters, need every hit. TRICKY: two branches, not one lateral join: Postgres finds the few
 * sessions across the ends by an index, and memoizes a lateral join on its arrays, which takes a hundred times as long.
 */
export function pageViews(question: WebsiteQuestion, from: number, to: number, by: Grouping): Sql {
  const only = by.only ? sql` and ${by.only}` : emptySql;
  const one = (where: Sql) => sql`
    select ${by.ofHit} as grouped, s.visitor, 1 as views
    from ${hitsIn(question, sql`h.kind = ${HIT.view}`, from, to)} and s.pageviews > 0${only}${where}`;
  if (!by.ofSession || question.filters.some(selectsHits)) return one(emptySql);
  const undivided = by.undivided ? sql` and ${by.undivided}` : emptySql;
  const whole = sql`s.first_at >= ${instant(from)} and s.last_at < ${instant(to)}${undivided}`;
  return sql`
    select ${by.ofSession} as grouped, s.visitor, s.pageviews as views
    from ${sessionsIn(question, from, to)} and s.pageviews > 0${only} and ${whole}
    union all${one(sql` and not (${whole})`)}`;
}

/** Page views and distinct visitors by group. */
export const viewsByGroup = (question: WebsiteQuestion, from: number, to: number, by: Grouping): Sql => sql`
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (${pageViews(question, from, to, by)}) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped`;
