import {
  alternativesOf,
  type SelectingFilter,
  selectsHits,
  type ValueFilter,
} from '@ledgerline/aggregation/aggregation';
import { attributeNamed, type IdFilter, isIdFilter, isOfHits } from '@ledgerline/contracts/attributes';
import { HIT_WIDTHS, placesOfField } from '@ledgerline/contracts/read-models/event-kinds';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { HIT, SESSION_KIND, sessions } from '@ledgerline/contracts/read-models/sessions';
import { instant, emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../declaration/query-context';
import { atTimes } from './rows';
import { ALWAYS, type TimeRange } from './time';

/** The sessions `s` of a website with a hit in a span, and what the request's filters leave of them. */
export const sessionsIn = (context: QueryContext, { from, to }: TimeRange): Sql =>
  sql`${context.table(sessions)} s
  where s.website = ${context.website} and s.last_at >= ${instant(from)} and s.first_at < ${instant(to)}${begunSince(context, from)}${sessionFilterSql(context)}`;

/**
 * Sessions that reach over an instant did not begin before the first day that has any: sealed days say how far theirs
 * reach, those of open days may reach anywhere. Single visitors and sessions are found by their keys. TRICKY: the sum keeps
 * Postgres from reading days in order until one reaches so far.
 */
function begunSince({ table, website, filters }: QueryContext, at: number): Sql {
  if (at <= ALWAYS.from || filters.some((filter) => idFilterOf(filter))) return emptySql;
  return sql`
    and s.first_at >= least(
      (select min(d.day + 0) from ${table(sessionDays)} d where d.website = ${website} and d.last_at >= ${instant(at)}),
      (select min(d.day) from ${table(sessionDayStates)} d where d.website = ${website} and not d.is_sealed),
      (${instant(at)} at time zone 'UTC')::date
    )::timestamp at time zone 'UTC'`;
}

/** A filter that names one visitor or session; these stand alone. */
const idFilterOf = (filter: SelectingFilter): (ValueFilter & { readonly field: IdFilter }) | undefined =>
  'field' in filter && isIdFilter(filter.field) ? { ...filter, field: filter.field } : undefined;

/** The counted sessions `s` whose first page view is in a span, with at least one page view that filters select. */
export const countedSessionsIn = (context: QueryContext): Sql => sql`${sessionsIn(context, context)}
  and s.entered_at >= ${instant(context.from)} and s.entered_at < ${instant(context.to)}${withSelectedView(context)}`;

/**
 * Conditions on a session `s`, each with its `and`. Attributes are those of the first page view, so a session without one
 * has none to select it by.
 */
function sessionFilterSql({ filters }: QueryContext): Sql {
  const named = filters.flatMap((filter) => idFilterOf(filter) ?? []).map((filter) => isOneOf(filter.field, filter));
  const visits = filters.filter((filter) => !selectsHits(filter) && !idFilterOf(filter));
  const conditions = visits.map((filter) => sql` and ${oneHolds(filter, ofSession)}`);
  const entered = visits.length > 0 ? sql` and s.entered_at is not null` : emptySql;
  return joinSql([...named, entered, ...conditions], '');
}

/** One of the alternatives of a filter. */
function oneHolds(filter: SelectingFilter, condition: (alternative: ValueFilter) => Sql): Sql {
  const conditions = alternativesOf(filter).map(condition);
  return conditions.length === 1 ? joinSql(conditions) : sql`(${joinSql(conditions, ' or ')})`;
}

/** A condition for each of these filters, with its `and`. */
export const conditionsFor = (filters: QueryContext['filters'], condition: (alternative: ValueFilter) => Sql): Sql =>
  joinSql(
    filters.map((filter) => sql` and ${oneHolds(filter, condition)}`),
    '',
  );

/** Returns whether a column holds one of the ids that a filter matches. */
export const matches = (column: Sql, { values, negated }: ValueFilter): Sql =>
  negated ? sql`${column} <> all(${values}::int[])` : sql`${column} = any(${values}::int[])`;

/** Returns what a session `s` has must match. */
function ofSession(filter: ValueFilter): Sql {
  if (filter.field === 'event') return ofCustomEvent(filter);
  const column = SESSION_COLUMNS[filter.field] ?? filter.field;
  return matches(identifier('s', column), filter);
}

/** The columns of attributes that have another name. */
const SESSION_COLUMNS: Readonly<Record<string, string>> = { entry_page: 'entry_path', exit_page: 'exit_path' };

function ofCustomEvent({ values, negated }: ValueFilter): Sql {
  const found = sql`(s.custom_events > 0 and exists (
    select from ${hitParts(['kind', NAME])} where h.kind = ${HIT.custom} and h.name = any(${values}::int[])))`;
  return negated ? sql`not ${found}` : found;
}

/** Returns who is found by the key of the table: where there is a visitor, it is the actor. */
function isOneOf(field: IdFilter, { values }: ValueFilter): Sql {
  if (field === 'visitor_id') return sql` and s.actor = any(${values}::uuid[]) and s.visitor is not null`;
  return sql` and s.session = any(${values}::uuid[]) and s.kind <> ${SESSION_KIND.none}`;
}

export function withSelectedView(context: QueryContext): Sql {
  const parts = ['kind', ...filteredParts(context)];
  if (parts.length === 1) return emptySql;
  return sql`
  and exists (
    select from ${hitParts(parts)}
    where h.kind = ${HIT.view}${selectedHit(context)})`;
}

/** Selects of sessions `s` those with a hit of some kind that lies in a span and that filters select. */
export const withHitIn = (context: QueryContext, { from, to }: TimeRange, kind = sql`true`): Sql => sql`
  and exists (
    select from ${hitParts(['at', 'kind', ...filteredParts(context)])}
    where ${kind} and h.at >= ${instant(from)} and h.at < ${instant(to)}${selectedHit(context)})`;

/** The part of a hit that names its event: see `named` of `EVENT_KINDS`. */
export const NAME = 'name';

/** The hits `h` of a session `s`, each with these parts. */
export const hitParts = (parts: readonly string[]): Sql =>
  sql`unnest(${joinSql(parts.map(partOfHits))}) as h(${joinSql(parts.map((part) => identifier(part)))})`;

/** SQL for one part of each hit of a session `s`, as an array: a stored column, or a field, which is 0 for kinds without it. */
function partOfHits(part: string): Sql {
  if (`hit_${part}` in sessions.columns) return identifier('s', `hit_${part}`);
  const places = placesOfField(part === NAME ? ({ named }) => named?.by : () => part);
  return sql`array(
    select coalesce(v.value, 0)
    from (
      select k.nth, k.kind, coalesce(sum((${HIT_WIDTHS}::int[])[k.kind]) over (order by k.nth rows between unbounded preceding and 1 preceding), 0) as before
      from unnest(s.hit_kind) with ordinality as k(kind, nth)
    ) k
    left join unnest(s.hit_values) with ordinality as v(value, nth) on v.nth = k.before + (${places}::int[])[k.kind]
    order by k.nth
  )`;
}

/** Page views, custom events and outgoing links. */
export const SESSION_EVENT_KINDS_SQL = sql`h.kind in (${HIT.view}, ${HIT.custom}, ${HIT.outgoing})`;

/**
 * Conditions on a hit `h`, each with its `and`: its path (0 = none), and what only page views have.
 * @param ofItsSession what a hit's session must have, for filters that select hits or sessions
 */
function selectedHit({ filters }: QueryContext, ofItsSession = whereEntered): Sql {
  const conditions = filters.filter(selectsHits).map((filter) => {
    const onHit = (alternative: ValueFilter) => (isPart(alternative) ? ofHit(alternative) : ofItsSession(alternative));
    return sql` and ${oneHolds(filter, onHit)}`;
  });
  return joinSql(conditions, '');
}

function ofHit(filter: ValueFilter): Sql {
  const part = identifier('h', filter.field);
  return matches(
    attributeNamed(filter.field)?.of === 'view' ? sql`case when h.kind = ${HIT.view} then ${part} else 0 end` : part,
    filter,
  );
}

/** A session without a page view has no attributes. */
const whereEntered = (filter: ValueFilter): Sql => sql`(s.entered_at is not null and ${ofSession(filter)})`;

/** Returns what filters that select hits or sessions say about sessions. */
const mixedAlternatives = ({ filters }: QueryContext): readonly ValueFilter[] =>
  filters.filter(selectsHits).flatMap((filter) => alternativesOf(filter).filter(({ field }) => !isOfHits(field)));

/** Returns whether it is about a part of hits, which has its name. */
const isPart = ({ field }: ValueFilter): boolean => isOfHits(field) && attributeNamed(field) !== undefined;

const filteredParts = ({ filters }: QueryContext) => [
  ...new Set(filters.flatMap(alternativesOf).flatMap((filter) => (isPart(filter) ? filter.field : []))),
];

interface WantedHits {
  /** Condition on the kind of a hit `h`; of any kind without it. */
  readonly kind?: Sql | undefined;
  /** The columns of its session `s` that come with each hit. */
  readonly of: Sql;
  /** The columns of each hit beside its time and kind. */
  readonly columns?: readonly ('id' | 'path' | typeof NAME)[];
  /** Further conditions on sessions, each with its `and`. */
  readonly where?: Sql;
}

/**
 * The hits `h` that lie in a span and that filters select; ` and …` may follow. TRICKY: unnested in the select list, which
 * costs Postgres a third of what a lateral join on the arrays does.
 */
export function hitsSql(
  context: QueryContext,
  span: TimeRange,
  { kind = sql`true`, of, columns = [], where = emptySql }: WantedHits,
): Sql {
  const names = [...new Set(['at', 'kind', ...filteredParts(context), ...columns])];
  const unnested = names.map((name) => sql`unnest(${partOfHits(name)}) as ${identifier(name)}`);
  const mixed = mixedAlternatives(context);
  const marks = mixed.map((filter, nth) => sql`${whereEntered(filter)} as ${identifier(`is_of_${nth}`)}`);
  const isMarked = (filter: ValueFilter) => identifier('h', `is_of_${mixed.indexOf(filter)}`);
  return sql`(
    select ${joinSql([of, ...marks, ...unnested])}
    from ${sessionsIn(context, span)}${where}
  ) h
  where ${kind} and h.at >= ${instant(span.from)} and h.at < ${instant(span.to)}${selectedHit(context, isMarked)}`;
}

/**
 * The rows `e` of a table of events that lie in the range and that filters select, of a page that was found those of its
 * times; ` and …` may follow.
 */
export const eventsIn = (context: QueryContext, model: ReadModel): Sql =>
  sql`${context.table(model)} e
  where e.website = ${context.website} and e.at >= ${instant(context.from)} and e.at < ${instant(context.to)}${atTimes(sql`e.at`, context)}${ofPages(context)}${ofSessions(context)}`;

/** Filters on pages select events `e` by their own path; they have nothing that only page views have. */
function ofPages(context: QueryContext): Sql {
  const ofEvent = (filter: ValueFilter) => {
    if (!isOfHits(filter.field)) return inSession(context, sql` and ${whereEntered(filter)}`);
    return matches(attributeNamed(filter.field)?.of === 'event' ? identifier('e', filter.field) : sql`0`, filter);
  };
  const pages = context.filters.filter(selectsHits);
  return joinSql(
    pages.map((filter) => sql` and ${oneHolds(filter, ofEvent)}`),
    '',
  );
}

/** All other filters select events `e` by their session. */
const ofSessions = (context: QueryContext): Sql =>
  context.filters.every(selectsHits)
    ? emptySql
    : sql`
  and ${inSession(context, sessionFilterSql(context))}`;

/** Returns whether the session `s` of an event `e` meets conditions, each with its `and`. */
const inSession = ({ table }: QueryContext, conditions: Sql): Sql => sql`exists (
    select from ${table(sessions)} s
    where s.website = e.website and s.actor = e.actor and s.session = e.session${conditions}
  )`;
