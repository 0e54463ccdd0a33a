import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { compareRows } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import type { WrittenTables } from '../projections/written-tables';
import { packedRows } from '../sealing/packed-rows';
import { hasSessions, readSessionGroups } from '../sealing/seal-day';
import { dayName, sumByDay, type TableDifference } from './findings';
import { answeringTable } from './live-partition';

/** Compares the packed sessions of some days of UTC, and whether they are sealed, with the sessions themselves; a day that is not sealed has none. */
export async function compareSealed(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  days: readonly number[],
): Promise<readonly TableDifference[]> {
  const answering = answeringTable(tables, sessionDays);
  if (!answering) return [];
  const sealed = await run<{ day: number }>(
    on,
    sql`select day - '1970-01-01'::date as day from ${identifier(tables.state, sessionDayStates.name)}
      where website = ${website} and is_sealed and day - '1970-01-01'::date = any(${days}::integer[])`,
  );
  const rows: Row[] = [];
  for (const { day } of sealed) {
    const groups = await readSessionGroups(on, { schema: tables.state, website, day });
    for await (const row of packedRows(website, day, groups, yieldToEventLoop())) rows.push(row);
  }
  const scope = (bind: (value: unknown) => string) =>
    `website = ${bind(website)}::integer and day - '1970-01-01'::date = any(${bind(days)}::integer[])`;
  const found = await compareRows(on, { ...answering, scope, by: 'day' }, rows);
  return [...sumByDay(answering.model.name, found, (day) => day), ...(await missingStates(on, tables, website, days))];
}

/** A day on which sessions began is sealed or open; one that is neither does not answer. */
async function missingStates(
  on: Queryable,
  { state }: WrittenTables,
  website: number,
  days: readonly number[],
): Promise<readonly TableDifference[]> {
  const missing = await run<{ day: number }>(
    on,
    sql`select day from unnest(${days}::integer[]) as each (day)
      where not exists (
        select from ${identifier(state, sessionDayStates.name)} d
        where d.website = ${website} and d.day = '1970-01-01'::date + each.day
      ) and ${hasSessions(state, website, sql`each.day`)}`,
  );
  const difference = { table: sessionDayStates.name, missing: 1, extra: 0, changed: 0, found: null };
  return missing.map(({ day }) => ({ ...difference, day, expected: { website, day: dayName(day) } }));
}
