import { HIT, SESSION_KIND, sessions } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { isIdFilter, type IdFilter, type QueryContext, type ValueFilter } from '../query-type';
import { instant, type Span } from './series';

/** Filters on these select hits; all others select sessions by a column of the filter's name. */
const HIT_FIELDS: ReadonlySet<string> = new Set(['path', 'query_string']);

export const selectsHits = ({ field }: ValueFilter): boolean => HIT_FIELDS.has(field);

/** The sessions `s` of a website with a hit in a span, and what the request's filters leave of them. */
export const sessionsIn = (context: QueryContext, { from, to }: Span, joined = emptySql): Sql =>
  sql`${context.table(sessions)} s${joined}
  where s.website = ${context.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${sessionFilterSql(context)}`;

/** Of a session `s`: it lies wholly in a span. */
export const wholly = ({ from, to }: Span): Sql => sql`s.first_at >= ${instant(from)} and s.last_at < ${instant(to)}`;

/** The counted sessions `s` whose first page view is in a span, with at least one page view that filters select. */
export const countedSessionsIn = (context: QueryContext, span: Span = context): Sql => sql`${sessionsIn(context, span)}
  and s.entered_at >= ${instant(span.from)} and s.entered_at < ${instant(span.to)}${withSelectedView(context)}`;

/** Attributes are those of the first page view, so a session without one has none to select it by. */
function sessionFilterSql({ filters }: QueryContext): Sql {
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

/** Hits `h` of any kind, or those that filters on pages can select. */
export const ofAnyKind = ({ filters }: QueryContext): Sql =>
  filters.some(selectsHits) ? sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})` : sql`true`;

/** Conditions on a hit `h`, each with its `and`: its path (0 = none), and its query string, which only page views have. */
export function selectedHit({ filters }: QueryContext): Sql {
  const conditions = filters.filter(selectsHits).map((filter) => {
    const query = sql`case when h.kind = ${HIT.view} then h.text else 0 end`;
    return sql` and ${matches(filter.field === 'path' ? sql`h.path` : query, filter)}`;
  });
  return joinSql(conditions, '');
}

export const matches = (column: Sql, { values, negated }: ValueFilter): Sql =>
  negated ? sql`${column} <> all(${values}::int[])` : sql`${column} = any(${values}::int[])`;

interface WantedHits {
  /** Condition on the kind of a hit `h`. */
  readonly kind: Sql;
  /** What comes with each hit of its session `s`. */
  readonly of: Sql;
  /** What comes of each hit beside its time and kind. */
  readonly columns?: readonly ('id' | 'path' | 'text' | 'extra')[];
  /** Further conditions on sessions, each with its `and`. */
  readonly where: Sql;
}

/** The hits `h` that lie in a span and that filters select; ` and …` may follow. */
export const hitsIn = (context: QueryContext, span: Span, wanted: WantedHits): Sql =>
  hits(context, span, wanted, { row: 's', from: sessionsIn(context, span) });

/** The same of the sessions `s` of a subquery, which has their website, visitor and session. */
export const sessionHitsSql = (context: QueryContext, span: Span, some: Sql, wanted: WantedHits): Sql =>
  hits(context, span, wanted, {
    row: 'x',
    from: sql`${some} s${wholeRow(context)}
    where true`,
  });

/** The table's own row of a session of which only the index has been read. */
const wholeRow = (context: QueryContext): Sql => sql`
    cross join lateral (
      select * from ${context.table(sessions)} x
      where x.website = ${context.website} and x.actor = coalesce(s.visitor, s.session) and x.session = s.session offset 0
    ) x`;

/**
 * An aggregate over the hits `h` of one session `s` that are of a kind and lie in a span. For the few sessions across
 * its ends: within a `case` it costs the others nothing, and finds these without a second search for them.
 */
export const hitAggregateSql = (context: QueryContext, { from, to }: Span, aggregate: Sql, kind: Sql): Sql => sql`(
      select ${aggregate} from ${context.table(sessions)} x, unnest(x.hit_at, x.hit_kind, x.hit_path) as h(at, kind, path)
      where x.website = ${context.website} and x.actor = coalesce(s.visitor, s.session) and x.session = s.session
        and ${kind} and h.at >= ${instant(from)} and h.at < ${instant(to)}
    )`;

/** TRICKY: unnested in the select list, which costs Postgres a third of what a lateral join on the arrays does. */
function hits(context: QueryContext, span: Span, wanted: WantedHits, { row, from }: { row: string; from: Sql }): Sql {
  const selected = context.filters.some(selectsHits) ? ['path', 'text'] : [];
  const names = [...new Set(['at', 'kind', ...selected, ...(wanted.columns ?? [])])];
  const unnested = names.map((name) => sql`unnest(${identifier(row, `hit_${name}`)}) as ${identifier(name)}`);
  return sql`(
    select ${wanted.of}, ${joinSql(unnested, ', ')}
    from ${from}${wanted.where}
  ) h
  where ${wanted.kind} and h.at >= ${instant(span.from)} and h.at < ${instant(span.to)}${selectedHit(context)}`;
}
