import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../query-type';
import type { Span } from './series';
import { countedSessionsIn, hitsIn, hitAggregateSql, selectsHits, sessionsIn, wholly } from './sessions';

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
  (context) =>
    sql`
  select ${identifier('s', column)} as grouped, count(*) as pageviews, count(distinct s.visitor) as visitors
  from ${countedSessionsIn(context)}
  group by 1`;

/**
 * Page views in a span as (grouped, visitor, views), grouped by something of their session `s`, of those of which
 * `only` holds; sessions without any in the span have none.
 */
export function pageViews(context: QueryContext, span: Span, by: Sql, only = emptySql): Sql {
  const where = sql` and s.pageviews > 0${only}`;
  if (!context.filters.some(selectsHits)) {
    return sql`
    select ${by} as grouped, s.visitor, ${viewsOf(context, span)} as views
    from ${sessionsIn(context, span)}${where}`;
  }
  const of = sql`${by} as grouped, s.visitor`;
  return sql`select h.grouped, h.visitor, 1 as views from ${hitsIn(context, span, { kind: IS_VIEW, of, where })}`;
}

/** How many page views of a session `s` lie in a span. */
export const viewsOf = (context: QueryContext, span: Span): Sql =>
  sql`case when ${wholly(span)} then s.pageviews else ${hitAggregateSql(context, span, COUNT, IS_VIEW)} end`;

/** How many custom events and outgoing links of a session `s` lie in a span. */
export const actionsOf = (context: QueryContext, span: Span): Sql => sql`
    case when ${wholly(span)} then s.custom_events + s.outgoing_links else ${hitAggregateSql(context, span, COUNT, IS_ACTION)} end`;

const COUNT = sql`count(*)::integer`;

/**
 * Page views in a span by path, likewise: of sessions with one or two page views, which are most, the paths are those
 * of entry and exit, where they have these: page views in no session do not.
 */
function pathViews(context: QueryContext, span: Span): Sql {
  const views = (least: number) => ({
    kind: IS_VIEW,
    of: sql`s.visitor`,
    columns: ['path'] as const,
    where: sql` and s.pageviews >= ${least}::int`,
  });
  const all = (least: number) => sql`
    select h.path as grouped, h.visitor, 1 as views from ${hitsIn(context, span, views(least))}`;
  if (context.filters.some(selectsHits)) return all(1);
  const own = hitAggregateSql(context, span, sql`array_agg(h.path)`, IS_VIEW);
  const few = sql`
    select unnest(
      case when ${wholly(span)} and s.entered_at is not null then (array[s.entry_path, s.exit_path])[:s.pageviews]
      else ${own} end
    ) as grouped, s.visitor, 1 as views
    from ${sessionsIn(context, span)} and s.pageviews >= 1 and s.pageviews <= 2`;
  return union([few, all(3)]);
}

export const IS_VIEW = sql`h.kind = ${HIT.view}`;
const IS_ACTION = sql`h.kind in (${HIT.custom}, ${HIT.outgoing})`;

/** Page views and distinct visitors by group, from rows (grouped, visitor, views). */
export const viewsByGroup = (views: Sql): Sql => sql`
  select grouped, sum(views) as pageviews, count(visitor) as visitors
  from (
    select grouped, visitor, sum(views) as views from (${views}) each_view
    group by grouped, visitor having sum(views) > 0
  ) each_visitor
  group by grouped`;

export const union = (parts: readonly Sql[]): Sql => joinSql([...parts], '\n    union all ');

/** How many custom events and outgoing links lie in a span. */
export function actionsIn(context: QueryContext, span: Span): Sql {
  const where = sql` and s.custom_events + s.outgoing_links > 0`;
  if (!context.filters.some(selectsHits)) {
    return sql`(select coalesce(sum(${actionsOf(context, span)}), 0) from ${sessionsIn(context, span)}${where})`;
  }
  return sql`(select count(*) from ${hitsIn(context, span, { kind: IS_ACTION, of: sql`s.session`, where })})`;
}
