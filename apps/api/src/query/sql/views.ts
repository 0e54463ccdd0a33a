import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { selectsHits, sessionsIn, wholly } from './facts';
import { hitsAcrossEnds, hitsIn, hitsOfFew } from './hits';

/**
 * Page views in a span as (grouped, visitor, views), grouped by something of their session `s`, of those of which
 * `only` holds. Sessions that lie in the span as a whole give their count; only the others, and path filters, need
 * every hit.
 */
export function pageViews(question: WebsiteQuestion, from: number, to: number, by: Sql, only = emptySql): Sql {
  const each = { kind: IS_VIEW, of: sql`${by} as grouped, s.visitor`, where: sql` and s.pageviews > 0${only}` };
  const one = sql`select h.grouped, h.visitor, 1 as views from `;
  if (question.filters.some(selectsHits)) return sql`${one}${hitsIn(question, from, to, each)}`;
  const whole = sql`
    select ${by} as grouped, s.visitor, s.pageviews as views
    from ${sessionsIn(question, from, to)}${each.where} and ${wholly(from, to)}`;
  return union([whole, ...hitsAcrossEnds(question, from, to, each).map((hits) => sql`${one}${hits}`)]);
}

/**
 * Page views in a span by path, likewise: of sessions with one or two page views, which are most, the paths are those
 * of entry and exit, where they have these: page views in no session do not.
 */
export function pathViews(question: WebsiteQuestion, from: number, to: number): Sql {
  const each = (where: Sql) => ({ kind: IS_VIEW, of: sql`s.visitor`, columns: ['path'] as const, where });
  const one = sql`select h.path as grouped, h.visitor, 1 as views from `;
  const all = (least: number) => sql`${one}${hitsIn(question, from, to, each(sql` and s.pageviews >= ${least}::int`))}`;
  if (question.filters.some(selectsHits)) return all(1);
  const few = sql` and s.pageviews >= 1 and s.pageviews <= 2`;
  const whole = sql`${wholly(from, to)} and s.entered_at is not null`;
  const inNone = each(sql`${few} and ${wholly(from, to)} and s.entered_at is null`);
  return union([
    sql`
    select s.entry_path as grouped, s.visitor, 1 as views from ${sessionsIn(question, from, to)}${few} and ${whole}`,
    sql`
    select s.exit_path as grouped, s.visitor, 1 as views
    from ${sessionsIn(question, from, to)} and s.pageviews = 2 and ${whole}`,
    all(3),
    ...hitsAcrossEnds(question, from, to, each(few)).map((hits) => sql`${one}${hits}`),
    ...(question.filters.length === 0 ? [sql`${one}${hitsOfFew(question, from, to, inNone)}`] : []),
  ]);
}

export const IS_VIEW = sql`h.kind = ${HIT.view}`;

/** Page views and distinct visitors by group, from rows (grouped, visitor, views). */
export const viewsByGroup = (views: Sql): Sql => sql`
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (${views}) each_view
    group by grouped, visitor
  ) each_visitor
  group by grouped`;

export const union = (parts: readonly Sql[]): Sql => joinSql([...parts], '\n    union all ');
