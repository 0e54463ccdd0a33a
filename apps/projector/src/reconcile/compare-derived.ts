import { textOfTree } from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES, rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { linkDomains, websiteDays, websiteNewestEvents } from '@ledgerline/contracts/read-models/website-facts';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { REPEAT_MS } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf, dayName } from '@ledgerline/domain/time/zones';
import { compareRows } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { identifier, joinSql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { readStoredRollups } from '../compaction/stored-rollups';
import type { WrittenTables } from '../projections/projection-group';
import { findChangedTexts } from '../projections/websites/dictionary';
import { packedRows } from '../sealing/packed-rows';
import { readSessionGroups } from '../sealing/seal-days';
import { changedTextFindings, sumByDay, type TableDifference } from './findings';
import { answeringTable } from './log-part';

/** The count whose rows have the links that were clicked, with their domains. */
const LINKS_CLICKED = rollupNamed('outbound_links');

/**
 * Compares the packed sessions of some days of UTC with the sessions themselves: a sealed day has all of them, another one
 * none. A day on which sessions began is one or the other; without a state it does not answer.
 */
export async function compareSealed(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  { since, until }: DayWindow,
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
    const rows: ReadModelRow[] = [];
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

/** The columns that are 0 in a session without a page view. */
const ATTRIBUTES = joinSql(SESSION_ATTRIBUTES.map((name) => identifier(name)));

/** Compares what is of no day: visitors and their numbers, domains of links and texts; differences get the latest day. */
export async function compareWhole(
  on: Queryable,
  tables: WrittenTables,
  { website, zone }: { readonly website: number; readonly zone: string },
): Promise<readonly TableDifference[]> {
  const [latest] = await run<{ at: number | null }>(
    on,
    sql`select (extract(epoch from max(last_at)) * 1000)::float8 as at from ${identifier(tables.state, sessions.name)}
      where website = ${website}`,
  );
  const at = latest?.at ?? 0;
  const day = calendarOf(zone).day(at);
  const ofRepeats = calendarOf(zone).day(at + REPEAT_MS); // which are in no session
  return [
    ...(await compareVisitors(on, tables, website, [day, ofRepeats])),
    ...(await compareNewestEvent(on, tables, website, { day, at: latest?.at ?? null })),
    ...(await compareLinkDomains(on, tables, website)),
    ...changedTextFindings(day, await findChangedTexts(on, website)),
  ];
}

/**
 * Returns whether the visitors of a website have the numbers from 0 without gaps, each one of his own in all of his
 * sessions, and are counted: which visitor has which number may depend on when events were written. Also whether
 * sessions are of the visitor that their actor is, and without attributes where nothing was viewed.
 */
async function compareVisitors(
  on: Queryable,
  { state }: WrittenTables,
  website: number,
  [day, ofRepeats]: readonly [latest: number, ofRepeats: number],
): Promise<readonly TableDifference[]> {
  const [found] = await run<Visitors>(
    on,
    sql`
      with own as (
        select actor, visitor, visitor_number,
          visitor is not distinct from case when visitor_number is not null then actor end
            and (entered_at is not null or (greatest(${ATTRIBUTES}) = 0 and least(${ATTRIBUTES}) = 0)) as is_sound
        from ${identifier(state, sessions.name)} where website = ${website}
      ), visitors as (
        select min(visitor_number) as lowest, max(visitor_number) as highest, count(visitor_number) = count(*) as has_all
        from own where visitor is not null group by actor
      )
      select count(*)::integer as visitors, count(distinct lowest)::integer as numbers,
        coalesce(max(highest), -1) as highest, coalesce(bool_and(has_all and lowest = highest), true) as "isWhole",
        (select count(*)::integer from own where not is_sound) as unsound, exists (select from own) as "hasSessions",
        (select visitors from ${identifier(state, websiteDays.name)} where website = ${website}) as counted,
        (select latest_day - '1970-01-01'::date from ${identifier(state, websiteDays.name)}
          where website = ${website}) as "latestDay"
      from visitors`,
  );
  if (!found) return [];
  const { visitors, numbers, highest, isWhole, unsound, hasSessions, counted, latestDay } = found;
  const difference = { day, missing: 0, extra: 0, changed: 1 };
  if (unsound > 0) {
    const expected = { visitor: 'the actor', attributes: 'those of a page view' };
    return [{ ...difference, changed: unsound, table: sessions.name, expected, found: { sessions: unsound } }];
  }
  if (!isWhole || numbers !== visitors || highest !== visitors - 1) {
    const expected = { visitors, numbers: visitors, highest: visitors - 1 };
    return [{ ...difference, table: sessions.name, expected, found: { visitors, numbers, highest } }];
  }
  if (counted === visitors && (latestDay === day || latestDay === ofRepeats)) return [];
  if (counted === null && !hasSessions) return [];
  const expected = { visitors, latest_day: dayName(day) };
  const stored = { visitors: counted, latest_day: latestDay === null ? null : dayName(latestDay) };
  return [{ ...difference, table: websiteDays.name, expected, found: stored }];
}

/** Returns whether the time of the newest event is that of the newest one in sessions, epoch ms. */
async function compareNewestEvent(
  on: Queryable,
  tables: WrittenTables,
  website: number,
  { day, at: expected }: { readonly day: number; readonly at: number | null },
): Promise<readonly TableDifference[]> {
  const newest = answeringTable(tables, websiteNewestEvents);
  if (!newest) return [];
  const text = `select (extract(epoch from newest_at) * 1000)::float8 as at from ${newest.table} where website = $1`;
  const [stored] = await run<{ at: number }>(on, { text, values: [website] });
  const found = stored?.at ?? null;
  if (found === expected) return [];
  const counts = { missing: found === null ? 1 : 0, extra: expected === null ? 1 : 0 };
  const rowOf = (at: number | null) => (at === null ? null : { newest_at: new Date(at).toISOString() });
  const changed = 1 - counts.missing - counts.extra;
  return [{ table: newest.model.name, day, ...counts, changed, expected: rowOf(expected), found: rowOf(found) }];
}

interface Visitors {
  readonly visitors: number;
  readonly numbers: number;
  readonly highest: number;
  readonly isWhole: boolean;
  /** Sessions. */
  readonly unsound: number;
  readonly hasSessions: boolean;
  /** In `website_days`, as the latest day (since 1970-01-01); null = it is not there. */
  readonly counted: number | null;
  readonly latestDay: number | null;
}

/** Returns whether the links that were clicked, as kept counts say, have the same domains in the table of these. */
async function compareLinkDomains(
  on: Queryable,
  tables: WrittenTables,
  website: number,
): Promise<readonly TableDifference[]> {
  const [links, kept] = [linkDomains, websiteRollups].map((model) => answeringTable(tables, model));
  if (!links || !kept || !(LINKS_CLICKED.name in kept.model.columns)) return [];
  const { pack } = await readStoredRollups(on, kept.table, LINKS_CLICKED, [website]);
  const keys = LINKS_CLICKED.keys.map(({ text }) => text);
  const { value, domain } = AGGREGATES.outbound_links.by;
  const [values, domains] = [value, domain].map((key) => pack.columns[1 + keys.indexOf(textOfTree(key))]);
  const [days] = pack.columns;
  const text = `select value, domain from ${links.table} where website = $1`;
  const rows = await run<{ value: number; domain: number }>(on, { text, values: [website] });
  const stored = new Map(rows.map(({ value, domain }) => [value, domain]));
  const differences = Array.from(values ?? [], (value, row) => {
    const domain = domains?.[row];
    const found = stored.get(value);
    if (domain === found) return [];
    const isMissing = found === undefined;
    const counts = { missing: isMissing ? 1 : 0, extra: 0, changed: isMissing ? 0 : 1 };
    const rowsOf = { expected: { value, domain }, found: isMissing ? null : { value, domain: found } };
    return [{ at: days?.[row] ?? 0, subject: null, ...counts, ...rowsOf }];
  });
  return sumByDay(linkDomains.name, differences.flat());
}
