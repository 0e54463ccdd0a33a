import { type SessionSlice, SLICE_SIZE, type WantedColumns } from '@ledgerline/aggregation/aggregation';
import { REPORT_BYTES } from '@ledgerline/contracts/events/event-id';
import type { BinaryColumns } from '@ledgerline/contracts/read-models/binary-format';
import { isFactUnit, type FactUnit } from '@ledgerline/contracts/read-models/event-kinds';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  type SessionField,
  SESSION_FLAG,
  UNIT_FIELDS,
  sessionChanges,
} from '@ledgerline/contracts/read-models/session-days';
import { SESSION_KIND, sessions } from '@ledgerline/contracts/read-models/sessions';
import { engagementSpans, linkVisits, vitals } from '@ledgerline/contracts/read-models/website-facts';
import { run, type Queryable } from '../database/pool';
import { arrays, bigints, bytes, identifier, integers, joinSql, sql, timestamps, type Sql } from '../database/sql';

/** Sessions in slices, from their table and those of facts; all in the snapshot of the caller. */
export async function readSessionSlices(
  on: Queryable,
  some: SomeSessions,
  { fields, units, keys }: WantedColumns,
): Promise<readonly SessionSlice[]> {
  const hits = units.includes('outgoing_links') ? 'ids' : units.some((unit) => !isFactUnit(unit)) ? 'all' : 'none';
  const sessions = await run<SliceRow>(on, sessionSlices(some, [...new Set([...ALWAYS, ...fields])], hits, keys));
  const facts: Partial<Record<FactUnit, ReadonlyMap<number, BinaryColumns>>> = {};
  for (const unit of units.filter(isFactUnit)) {
    const rows = sessions.length === 0 ? [] : await run<SliceRow>(on, factSlices(some, unit));
    facts[unit] = new Map(rows.map(({ slice, ...columns }) => [slice, columns]));
  }
  return sessions.map(({ slice, ...columns }) => {
    const found = Object.entries(facts).map(([unit, slices]) => [unit, slices.get(slice) ?? {}]);
    return { sessions: columns, facts: Object.fromEntries(found) as SessionSlice['facts'] };
  });
}

type SliceRow = { readonly slice: number } & BinaryColumns;
const ALWAYS = ['first_at', 'flags'] as const;
/** The choice of sessions that are read. */
interface SomeSessions {
  /** The table of a read model in a version. */
  readonly table: (model: ReadModel) => Sql;
  /** The website's id in the dictionary. */
  readonly website: number;
  /** Conditions on a session `s`, each with its `and`. */
  readonly where: Sql;
}

/**
 * Sessions from their table, a row for each slice of them: its number, and columns that hold the values of all of its
 * sessions, of their hits or the ids of hits if these are wanted.
 */
function sessionSlices(
  some: SomeSessions,
  fields: readonly SessionField[],
  hits: 'none' | 'all' | 'ids',
  keys = false,
): Sql {
  const columns: readonly (readonly [string, Sql])[] = [
    ['places', integers(sql`s.place`)],
    ...fields.map((name) => [name, valuesOf(name)] as const),
    ...(hits === 'none' ? [] : HITS),
    ...(hits === 'ids' ? [IDS] : []),
    ...(keys ? [['keys', bytes(keyOfSession(sql`s.actor`, sql`s.session`))] as const] : []),
  ];
  const values = columns.map(([name, column]) => sql`${column} as ${identifier(name)}`);
  return sql`
select s.place / ${SLICE_SIZE}::int as slice, ${joinSql(values, ', ')}
from (${numbered(some, sql`s.*`)}) s
group by 1 order by 1`;
}

/** As `session_parts` holds it. */
const keyOfSession = (actor: Sql, session: Sql): Sql =>
  sql`decode(md5(uuid_send(${actor}) || uuid_send(${session})), 'hex')`;

const valuesOf = (name: SessionField): Sql => COMPUTED[name] ?? integers(identifier('s', name));

const FLAGS = sql`case when s.bounced then ${SESSION_FLAG.bounced}::int else 0 end
    + case when s.kind = ${SESSION_KIND.none} then ${SESSION_FLAG.single}::int else 0 end`;

const COMPUTED: Readonly<Partial<Record<SessionField, Sql>>> = {
  visitor: integers(sql`coalesce(s.visitor_number, -1)`),
  first_at: timestamps(sql`s.first_at`),
  duration_ms: bigints(sql`s.duration_ms`),
  flags: integers(FLAGS),
};

const HITS = ['at', 'kind', 'path', 'hostname', 'values'].map(
  (name) => [`hit_${name}`, arrays(identifier('s', `hit_${name}`))] as const,
);
const IDS = ['hit_id', arrays(sql`case when s.outgoing_links > 0 then s.hit_id else '{}'::uuid[] end`)] as const;

/** Numbered in the same way by each statement of a snapshot. */
const numbered = ({ table, website, where }: SomeSessions, columns: Sql): Sql => sql`
  select ${columns}, (row_number() over (order by s.first_at, s.actor, s.session) - 1)::integer as place
  from ${table(sessions)} s where s.website = ${website}${where}`;

/** Units of which a table of facts says more than the hits of a session. */
const FACTS: Readonly<Record<FactUnit, ReadModel>> = {
  vitals,
  spans: engagementSpans,
  link_clicks: linkVisits,
};

/** The facts of the same sessions in the same slices, by session and in order, without superseded ones; -1 for null. */
function factSlices(some: SomeSessions, unit: FactUnit): Sql {
  const model = FACTS[unit];
  const columns = UNIT_FIELDS[unit].filter((name) => name !== 'at');
  const inOrder = sql` order by f.place, f.at, f.id`;
  const values = columns.map((name) => {
    const value =
      name === 'micros' ? bigints(sql`f.micros`, inOrder) : integers(sql`coalesce(f.${identifier(name)}, -1)`, inOrder);
    return sql`${value} as ${identifier(name)}`;
  });
  return sql`
with wanted as materialized (${numbered(some, sql`s.actor, s.session, s.first_at, s.last_at`)}
)
select f.place / ${SLICE_SIZE}::int as slice, ${integers(sql`f.place`, inOrder)} as places,
  ${timestamps(sql`f.at`, inOrder)} as at, ${joinSql(values, ', ')}
from (
  select wanted.place, e.*, row_number() over (
    partition by wanted.place, substr(uuid_send(e.id), 1, ${REPORT_BYTES}::int) order by e.id desc, e.at desc
  ) as nth
  from wanted join ${some.table(model)} e on e.actor = wanted.actor and coalesce(e.session, e.actor) = wanted.session
  where e.website = ${some.website} and e.at >= (select min(first_at) from wanted) and e.at <= (select max(last_at) from wanted)
) f
where nth = 1
group by 1 order by 1`;
}

/** Selects from what `session_changes` lists of days: the day of each session, and its key. */
export const listedKeys = (table: SomeSessions['table'], where: Sql): Sql =>
  sql`select c.day, ${keyOfSession(sql`k.actor`, sql`k.session`)} as key ${listedSql(table, where)}`;

/** A condition on sessions `s`: one of those that `session_changes` lists of days, if it still began on that day. */
export const isListed = (table: SomeSessions['table'], where: Sql): Sql =>
  sql` and (s.actor, s.session, (s.first_at at time zone 'UTC')::date) in (
    select k.actor, k.session, c.day ${listedSql(table, where)}
  )`;

/** @param where conditions on a row `c` of `session_changes` */
const listedSql = (table: SomeSessions['table'], where: Sql): Sql =>
  sql`from ${table(sessionChanges)} c, unnest(c.actors, c.sessions) as k(actor, session) where ${where}`;
