import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { linkDomains, websiteDays } from '@ledgerline/contracts/read-models/website-facts';
import { layoutOf } from '@ledgerline/domain/counting/kept-pack';
import { OUTBOUND_LINKS } from '@ledgerline/domain/counts/website-counts';
import type { Window } from '@ledgerline/domain/sessions/local-session';
import { dayName } from '@ledgerline/domain/time/zones';
import { compareRows } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { readPacks } from '../packing/kept-packs';
import { findChangedTexts } from '../projections/websites/dictionary';
import type { WrittenTables } from '../projections/projection-group';
import { packedRows } from '../sealing/packed-rows';
import { readSessionGroups } from '../sealing/seal-days';
import { changedTextFindings, sumByDay, type TableDifference } from './findings';
import { answeringTable } from './log-part';

/** The count whose rows have the links that were clicked, with their domains. */
const LINKS_CLICKED = OUTBOUND_LINKS.kept;

/**
 * Compares the packed sessions of some days of UTC with the sessions themselves: a sealed day has all of them, another one
 * none. A day on which sessions began is one or the other; without a state it does not answer.
 */
export async function compareSealed(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  { since, until }: Window,
): Promise<readonly TableDifference[]> {
  const answering = answeringTable(tables, sessionDays);
  if (!answering) return [];
  const { state: schema } = tables;
  const dateOf = (day: number) => (Number.isFinite(day) ? dayName(day) : `${day}`.toLowerCase());
  const days = sql`website = ${website} and day between ${dateOf(since)}::date and ${dateOf(until)}::date`;
  const states = await run<{ day: number; isSealed: boolean | null; hasSessions: boolean }>(
    on,
    sql`with began as (
        select distinct website, (first_at at time zone 'UTC')::date as day from ${identifier(schema, sessions.name)}
        where website = ${website}
      )
      select day - '1970-01-01'::date as day, is_sealed as "isSealed", began.website is not null as "hasSessions"
      from (select * from began where ${days}) began
        full join (select * from ${identifier(schema, sessionDayStates.name)} where ${days}) state using (day)
        full join (select distinct day from ${identifier(answering.schema, sessionDays.name)} where ${days}) packed using (day)
      order by day`,
  );
  const differences: TableDifference[] = [];
  const pause = yieldToEventLoop();
  for (const { day, isSealed, hasSessions } of states) {
    const rows: Row[] = [];
    if (isSealed && hasSessions) {
      const groups = await readSessionGroups(on, { schema, website, day });
      for await (const row of packedRows(website, day, groups, pause)) rows.push(row);
    }
    const scope = (bind: (value: unknown) => string) =>
      `website = ${bind(website)}::integer and day = ${bind(dayName(day))}::date`;
    const found = await compareRows(on, { ...answering, scope, by: 'day' }, rows);
    differences.push(...sumByDay(sessionDays.name, found));
    if (isSealed !== null || !hasSessions) continue;
    const expected = { website, day: dayName(day) };
    differences.push({ table: sessionDayStates.name, day, missing: 1, extra: 0, changed: 0, expected, found: null });
  }
  return differences;
}

/** Compares what is of no day: numbers of visitors, domains of links and texts; differences without a day get the given one. */
export async function compareWhole(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  day: number,
): Promise<readonly TableDifference[]> {
  return [
    ...(await compareNumbers(on, tables, website, day)),
    ...(await compareLinkDomains(on, tables, website)),
    ...changedTextFindings(day, await findChangedTexts(on, website)),
  ];
}

/**
 * Whether the visitors of a website have the numbers from 0 without gaps, each one of his own in all of his sessions, and
 * are counted: which visitor has which number may depend on when events were written.
 * @param day of the difference, which has none of its own
 */
async function compareNumbers(
  on: Queryable,
  { state }: WrittenTables,
  website: number,
  day: number,
): Promise<readonly TableDifference[]> {
  const [found] = await run<{ visitors: number; numbers: number; highest: number; isWhole: boolean; counted: number }>(
    on,
    sql`
      with visitors as (
        select min(visitor_number) as lowest, max(visitor_number) as highest, count(visitor_number) = count(*) as has_all
        from ${identifier(state, sessions.name)} where website = ${website} and visitor is not null group by actor
      )
      select count(*)::integer as visitors, count(distinct lowest)::integer as numbers,
        coalesce(max(highest), -1) as highest, coalesce(bool_and(has_all and lowest = highest), true) as "isWhole",
        coalesce((select visitors from ${identifier(state, websiteDays.name)} where website = ${website}), 0) as counted
      from visitors`,
  );
  if (!found) return [];
  const { visitors, numbers, highest, isWhole, counted } = found;
  const difference = { day, missing: 0, extra: 0, changed: 1 };
  if (!isWhole || numbers !== visitors || highest !== visitors - 1) {
    const expected = { visitors, numbers: visitors, highest: visitors - 1 };
    return [{ ...difference, table: sessions.name, expected, found: { visitors, numbers, highest } }];
  }
  if (counted === visitors) return [];
  return [{ ...difference, table: websiteDays.name, expected: { visitors }, found: { visitors: counted } }];
}

/** Whether the links that were clicked, as kept counts say, have the same domains in the table of these. */
async function compareLinkDomains(
  on: Queryable,
  tables: WrittenTables,
  website: number,
): Promise<readonly TableDifference[]> {
  const [links, kept] = [linkDomains, keptCounts].map((model) => answeringTable(tables, model));
  if (!links || !kept || !(LINKS_CLICKED.name in kept.model.columns)) return [];
  const { pack } = await readPacks(on, kept.table, LINKS_CLICKED, [website]);
  const { keys } = layoutOf(LINKS_CLICKED);
  const [days, values, domains] = [0, 1 + keys.indexOf('value'), 1 + keys.indexOf('domain')].map(
    (nth) => pack.columns[nth],
  );
  const text = `select value, domain from ${links.table} where website = $1`;
  const rows = await run<{ value: number; domain: number }>(on, { text, values: [website] });
  const stored = new Map(rows.map(({ value, domain }) => [value, domain]));
  const differences = Array.from(values ?? [], (value, row) => {
    const [domain, found] = [domains?.[row], stored.get(value)];
    if (domain === found) return [];
    const isMissing = found === undefined;
    const counts = { missing: isMissing ? 1 : 0, extra: 0, changed: isMissing ? 0 : 1 };
    const rowsOf = { expected: { value, domain }, found: isMissing ? null : { value, domain: found } };
    return [{ at: days?.[row] ?? 0, subject: null, ...counts, ...rowsOf }];
  });
  return sumByDay(linkDomains.name, differences.flat());
}
