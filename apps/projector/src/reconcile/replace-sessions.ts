import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { DayChanges } from '../projections/websites/day-changes';
import type { WrittenTables } from '../projections/written-tables';
import { hasSessions } from '../sealing/seal-day';
import { differingKeys, replaceDiffering, type SubjectRows } from './differing-rows';
import { Replay } from './replay';

const REPLAYED = Replay.tableOf(sessions);

/** Replaces sessions of a website that differ, and opens the days of UTC that are sealed with them. */
export async function replaceSessions(on: Queryable, tables: WrittenTables, rows: SubjectRows): Promise<void> {
  const dayOf = `select (first_at at time zone 'UTC')::date - '1970-01-01'::date as day from`;
  const differing = `join ${differingKeys(rows)} using (website, actor, session)`;
  const text = `${dayOf} ${storedIn(rows)} ${differing} union ${dayOf} ${REPLAYED} ${differing}`;
  const days = await run<{ day: number }>(on, { text, values: [] });
  await replaceDiffering(on, rows);
  await openDays(on, tables, rows, days);
}

/** Opens those of some days of UTC that have packed rows or sessions, whatever their states say. */
export async function openDaysAmong(
  on: Queryable,
  tables: WrittenTables,
  rows: SubjectRows,
  days: readonly number[],
): Promise<void> {
  const website = Number(rows.value);
  const found = await run<{ day: number }>(
    on,
    sql`select day from unnest(${days}::integer[]) as each (day)
      where exists (
        select from ${identifier(rows.schema, sessionDays.name)} d
        where d.website = ${website} and d.day = '1970-01-01'::date + each.day
      ) or ${hasSessions(rows.schema, website, sql`each.day`)}`,
  );
  await openDays(on, tables, rows, found);
}

/** The projector seals them anew. */
async function openDays(
  on: Queryable,
  tables: WrittenTables,
  { value }: SubjectRows,
  days: readonly { readonly day: number }[],
): Promise<void> {
  const changes = new DayChanges();
  for (const { day } of days) changes.addDay(Number(value), day);
  for (const statement of changes.statements(tables)) await run(on, statement);
}

/**
 * Numbers the replayed visitors from 0 without gaps, as a rebuild does: those keep the number that they have in the tables
 * who have one that is theirs alone, and the others get those that are left, in the order of the log.
 */
export async function numberVisitors(on: Queryable, rows: SubjectRows): Promise<void> {
  const text = `
    with visitors as (
      select actor, visitor_number as replayed, count(*) over () as total from (
        select distinct actor, visitor_number from ${REPLAYED} where visitor is not null
      ) each
    ), stored as (
      select actor, min(visitor_number) as number from ${storedIn(rows)} join visitors using (actor)
      where website = $1 and visitor_number >= 0 and visitor_number < total
      group by actor having count(distinct visitor_number) = 1
    ), kept as (
      select min(actor::text)::uuid as actor, number from stored group by number having count(*) = 1
    ), others as (
      select actor, row_number() over (order by replayed) as place from visitors
      where not exists (select from kept where kept.actor = visitors.actor)
    ), free as (
      select number, row_number() over (order by number) as place
      from (select generate_series(0, (select max(total) from visitors)::integer - 1) as number) each
      where not exists (select from kept where kept.number = each.number)
    ), numbered as (
      select actor, number from kept union all select actor, number from others join free using (place)
    )
    update ${REPLAYED} t set visitor_number = number from numbered
    where t.actor = numbered.actor and visitor_number is distinct from number`;
  await run(on, { text, values: [rows.value] });
}

/** Gives the sessions of a website the numbers of the replayed visitors, and opens the days of those that had others. */
export async function mendVisitorNumbers(on: Queryable, tables: WrittenTables, rows: SubjectRows): Promise<void> {
  const text = `
    update ${storedIn(rows)} s set visitor_number = t.visitor_number from ${REPLAYED} t
    where s.website = $1 and (t.website, t.actor, t.session) = (s.website, s.actor, s.session)
      and s.visitor_number is distinct from t.visitor_number
    returning (s.first_at at time zone 'UTC')::date - '1970-01-01'::date as day`;
  const days = await run<{ day: number }>(on, { text, values: [rows.value] });
  const counted = `update ${identifier(rows.schema, websiteDays.name).text} s set visitors = t.visitors
    from ${Replay.tableOf(websiteDays)} t where t.website = s.website and s.website = $1`;
  await run(on, { text: counted, values: [rows.value] });
  await openDays(on, tables, rows, days);
}

const storedIn = ({ schema }: SubjectRows) => identifier(schema, sessions.name).text;
