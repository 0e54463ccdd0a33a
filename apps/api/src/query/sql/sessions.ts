import { HIT, SESSION_KIND, sessions } from '@ledgerline/contracts/read-models/sessions';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { ValueFilter } from '@ledgerline/domain/counting/asked';
import { isIdFilter, type IdFilter, type QueryContext } from '../query-type';
import { ALWAYS, instant, type Span } from './series';

/** Whether a filter selects hits; all others select sessions by a column of the filter's name. */
export const selectsHits = ({ field }: ValueFilter): boolean => field === 'path' || field === 'query_string';

/** The sessions `s` of a website with a hit in a span, and what the request's filters leave of them. */
export const sessionsIn = (context: QueryContext, { from, to }: Span): Sql =>
  sql`${context.table(sessions)} s
  where s.website = ${context.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${begunSince(context, from)}${sessionFilterSql(context)}`;

/**
 * Sessions that reach over an instant did not begin before the first day that has any: sealed days say how far theirs
 * reach, those of open days may reach anywhere. Single visitors and sessions are found by their keys. TRICKY: the sum keeps
 * Postgres from reading days in order until one reaches so far.
 */
function begunSince({ table, website, filters }: QueryContext, at: number): Sql {
  if (at <= ALWAYS.from || filters.some(({ field }) => isIdFilter(field))) return emptySql;
  return sql`
    and s.first_at >= least(
      (select min(d.day + 0) from ${table(sessionDays)} d where d.website = ${website} and d.last_at >= ${instant(at)}),
      (select min(d.day) from ${table(sessionDayStates)} d where d.website = ${website} and not d.is_sealed),
      (${instant(at)} at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'`;
}

/** The counted sessions `s` whose first page view is in a span, with at least one page view that filters select. */
export const countedSessionsIn = (context: QueryContext): Sql => sql`${sessionsIn(context, context)}
  and s.entered_at >= ${instant(context.from)} and s.entered_at < ${instant(context.to)}${withSelectedView(context)}`;

/**
 * Conditions on a session `s`, each with its `and`. Attributes are those of the first page view, so a session without one
 * has none to select it by.
 */
export function sessionFilterSql({ filters }: QueryContext): Sql {
  const named = filters.flatMap((filter) => (isIdFilter(filter.field) ? [isOneOf(filter.field, filter)] : []));
  const visits = filters.filter((filter) => !selectsHits(filter) && !isIdFilter(filter.field));
  const conditions = visits.map((filter) => sql` and ${matches(identifier('s', filter.field), filter)}`);
  const entered = visits.length > 0 ? sql` and s.entered_at is not null` : emptySql;
  return joinSql([...named, entered, ...conditions], '');
}

/** Who is found by the key of the table: where there is a visitor, it is the actor. */
function isOneOf(field: IdFilter, { values }: ValueFilter): Sql {
  if (field === 'visitor_id') return sql` and s.actor = any(${values}::uuid[]) and s.visitor is not null`;
  return sql` and s.session = any(${values}::uuid[]) and s.kind <> ${SESSION_KIND.none}`;
}

export function withSelectedView(context: QueryContext): Sql {
  if (!context.filters.some(selectsHits)) return emptySql;
  return sql`
  and exists (
    select from unnest(s.hit_kind, s.hit_path, s.hit_text) as h(kind, path, text)
    where h.kind = ${HIT.view}${selectedHit(context)})`;
}

/** Page views, custom events and outgoing links. */
export const EVENT_KINDS = sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`;

/** Conditions on a hit `h`, each with its `and`: its path (0 = none), and its query string, which only page views have. */
function selectedHit({ filters }: QueryContext): Sql {
  const conditions = filters.filter(selectsHits).map((filter) => {
    const query = sql`case when h.kind = ${HIT.view} then h.text else 0 end`;
    return sql` and ${matches(filter.field === 'path' ? sql`h.path` : query, filter)}`;
  });
  return joinSql(conditions, '');
}

export const matches = (column: Sql, { values, negated }: ValueFilter): Sql =>
  negated ? sql`${column} <> all(${values}::int[])` : sql`${column} = any(${values}::int[])`;

interface WantedHits {
  /** Condition on the kind of a hit `h`; of any kind without it. */
  readonly kind?: Sql | undefined;
  /** What comes with each hit of its session `s`. */
  readonly of: Sql;
  /** What comes of each hit beside its time and kind. */
  readonly columns?: readonly ('id' | 'path' | 'text' | 'extra')[];
  /** Further conditions on sessions, each with its `and`. */
  readonly where?: Sql;
}

/**
 * The hits `h` that lie in a span and that filters select; ` and …` may follow. TRICKY: unnested in the select list, which
 * costs Postgres a third of what a lateral join on the arrays does.
 */
export function hitsIn(
  context: QueryContext,
  span: Span,
  { kind = sql`true`, of, columns = [], where = emptySql }: WantedHits,
): Sql {
  const selected = context.filters.some(selectsHits) ? ['path', 'text'] : [];
  const names = [...new Set(['at', 'kind', ...selected, ...columns])];
  const unnested = names.map((name) => sql`unnest(${identifier('s', `hit_${name}`)}) as ${identifier(name)}`);
  return sql`(
    select ${of}, ${joinSql(unnested)}
    from ${sessionsIn(context, span)}${where}
  ) h
  where ${kind} and h.at >= ${instant(span.from)} and h.at < ${instant(span.to)}${selectedHit(context)}`;
}
