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
  await keepVisitorNumbers(on, rows);
  const dayOf = `select (first_at at time zone 'UTC')::date - '1970-01-01'::date as day from`;
  const differing = `join ${differingKeys(rows)} using (website, actor, session)`;
  const text = `${dayOf} ${storedIn(rows)} ${differing} union ${dayOf} ${REPLAYED} ${differing}`;
  const days = await run<{ day: number }>(on, { text, values: [] });
  await replaceDiffering(on, rows);
  await raiseVisitorCounts(on, rows);
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

/** Gives numbers that none has to visitors who have several, or none, or that of another one, and opens their days. */
export async function mendVisitorNumbers(on: Queryable, tables: WrittenTables, rows: SubjectRows): Promise<void> {
  const text = `
    with known as (
      select actor, visitor_number as number from ${storedIn(rows)}
      where website = $1 and visitor is not null group by 1, 2
    ), wrong as (
      select actor from known where number is null
      union select actor from known group by actor having count(*) > 1
      union select actor from known where number in (select number from known group by number having count(*) > 1)
    ), numbered as (
      select actor, ((select coalesce(max(number), -1) from known) + row_number() over (order by actor))::integer as number
      from wrong
    )
    update ${storedIn(rows)} s set visitor_number = numbered.number from numbered
    where s.website = $1 and s.actor = numbered.actor
    returning (first_at at time zone 'UTC')::date - '1970-01-01'::date as day`;
  const days = await run<{ day: number }>(on, { text, values: [rows.value] });
  if (days.length === 0) return;
  await raiseVisitorCounts(on, rows);
  await openDays(on, tables, rows, days);
}

/** Visitors keep their numbers; those without a stored session get some that none has. */
async function keepVisitorNumbers(on: Queryable, rows: SubjectRows): Promise<void> {
  const differing = `${REPLAYED} join ${differingKeys(rows)} using (website, actor, session)`;
  const text = `
    with wanted as (
      select distinct actor from ${differing} where visitor_number is not null
    ), known as (
      select actor, min(visitor_number) as number from ${storedIn(rows)} join wanted using (actor)
      where website = $1 group by actor
    ), lost as (
      select actor, row_number() over () as place from wanted where actor not in (select actor from known)
    ), used as (
      select distinct visitor_number as number from ${storedIn(rows)} where website = $1 and visitor_number is not null
    ), free as (
      select number, row_number() over (order by number) as place
      from (select generate_series(0, (select count(*) from used) + (select count(*) from lost))::integer as number) each
      where number not in (select number from used) limit (select count(*) from lost)
    ), numbered as (select * from known union all select actor, number from lost join free using (place))
    update ${REPLAYED} t set visitor_number = number from numbered join ${differingKeys(rows)} using (actor)
    where t.actor = numbered.actor and visitor_number is not null`;
  await run(on, { text, values: [rows.value] });
}

/** The next new visitor gets a number that none has. */
async function raiseVisitorCounts(on: Queryable, rows: SubjectRows): Promise<void> {
  const used = `select max(visitor_number) + 1 from ${storedIn(rows)} where website = $1`;
  for (const table of [identifier(rows.schema, websiteDays.name).text, Replay.tableOf(websiteDays)]) {
    const text = `update ${table} set visitors = greatest(visitors, (${used})) where website = $1`;
    await run(on, { text, values: [rows.value] });
  }
}

const storedIn = ({ schema }: SubjectRows) => identifier(schema, sessions.name).text;
