import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import type { Span } from './series';
import { countedSessionsIn, hitsAcrossEnds, hitsIn, hitsOfFew, selectsHits, sessionsIn, wholly } from './sessions';

/** What facts of the context's range are counted by, as rows of (grouped, pageviews, visitors). */
export type Counting = (context: QueryContext) => Sql;

/** Page views by an attribute that a session has as a whole. */
export const viewsByAttribute =
  (column: string): Counting =>
  (context) =>
    viewsByGroup(pageViews(context, context, identifier('s', column), sql` and s.entered_at is not null`));

/** Page views by their path. */
export const viewsByPath: Counting = (context) => viewsByGroup(pathViews(context, context));

/** Sessions by their entry or exit page, as page views. */
export const sessionsByPage =
  (column: 'entry_path' | 'exit_path'): Counting =>
  (context) => sql`
  select ${identifier('s', column)} as grouped, count(*) as pageviews, count(distinct s.visitor) as visitors
  from ${countedSessionsIn(context)}
  group by 1`;

/**
 * Page views in a span as (grouped, visitor, views), grouped by something of their session `s`, of those of which
 * `only` holds. Sessions that lie in the span as a whole give their count; only the others, and path filters, need
 * every hit.
 */
export function pageViews(context: QueryContext, span: Span, by: Sql, only = emptySql): Sql {
  const each = { kind: IS_VIEW, of: sql`${by} as grouped, s.visitor`, where: sql` and s.pageviews > 0${only}` };
  const one = sql`select h.grouped, h.visitor, 1 as views from `;
  if (context.filters.some(selectsHits)) return sql`${one}${hitsIn(context, span, each)}`;
  const whole = sql`
    select ${by} as grouped, s.visitor, s.pageviews as views
    from ${sessionsIn(context, span)}${each.where} and ${wholly(span)}`;
  return union([whole, ...hitsAcrossEnds(context, span, each).map((hits) => sql`${one}${hits}`)]);
}

/**
 * Page views in a span by path, likewise: of sessions with one or two page views, which are most, the paths are those
 * of entry and exit, where they have these: page views in no session do not.
 */
function pathViews(context: QueryContext, span: Span): Sql {
  const each = (where: Sql) => ({ kind: IS_VIEW, of: sql`s.visitor`, columns: ['path'] as const, where });
  const one = sql`select h.path as grouped, h.visitor, 1 as views from `;
  const all = (least: number) => sql`${one}${hitsIn(context, span, each(sql` and s.pageviews >= ${least}::int`))}`;
  if (context.filters.some(selectsHits)) return all(1);
  const few = sql` and s.pageviews >= 1 and s.pageviews <= 2`;
  const whole = sql`${wholly(span)} and s.entered_at is not null`;
  const inNone = each(sql`${few} and ${wholly(span)} and s.entered_at is null`);
  return union([
    sql`
    select s.entry_path as grouped, s.visitor, 1 as views from ${sessionsIn(context, span)}${few} and ${whole}`,
    sql`
    select s.exit_path as grouped, s.visitor, 1 as views
    from ${sessionsIn(context, span)} and s.pageviews = 2 and ${whole}`,
    all(3),
    ...hitsAcrossEnds(context, span, each(few)).map((hits) => sql`${one}${hits}`),
    ...(context.filters.length === 0 ? [sql`${one}${hitsOfFew(context, span, inNone)}`] : []),
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

/** How many custom events and outgoing links lie in a span; only sessions across its ends need every hit. */
export function actionsIn(context: QueryContext, span: Span): Sql {
  const where = sql` and s.custom_events + s.outgoing_links > 0`;
  const each = { kind: sql`h.kind in (${HIT.custom}, ${HIT.outgoing})`, of: sql`s.session`, where };
  const countOf = (hits: Sql) => sql`(select count(*) from ${hits})`;
  if (context.filters.some(selectsHits)) return countOf(hitsIn(context, span, each));
  const whole = sql`(
    select coalesce(sum(s.custom_events + s.outgoing_links), 0)
    from ${sessionsIn(context, span)}${where} and ${wholly(span)})`;
  return joinSql([whole, ...hitsAcrossEnds(context, span, each).map(countOf)], ' + ');
}
