import type { RollupRows } from '@ledgerline/aggregation/aggregation';
import { RollupDeltas } from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays, websiteNewestEvents } from '@ledgerline/contracts/read-models/website-facts';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { clickedIn } from '@ledgerline/contracts/sessions/session';
import { dayName } from '@ledgerline/domain/time/zones';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { deleteRows } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projection-group';
import { ChangedDays } from './changed-days';
import { FactChanges } from './fact-changes';
import type { HrefDomains } from './href-domains';
import { actorKeyOf } from './read-hit';
import { loadVisitors } from './session-rows';

interface Removed {
  /** Text id of the website. */
  readonly website: number;
  readonly calendar: Calendar;
  /** Visitors, or sessions and events without one: 32 hex digits. */
  readonly actors: readonly string[];
  readonly domains: HrefDomains;
}

/**
 * Removes visitors with all their sessions and facts from the tables of a website, but for rollups: answers what is to be
 * taken out of these. The other visitors keep numbers without gaps.
 */
export async function removeVisitors(
  on: Queryable,
  tables: WrittenTables,
  { website, calendar, actors, domains }: Removed,
): Promise<ReadonlyMap<Rollup, RollupRows>> {
  const keys = actors.map((actor) => ({ website, actor }));
  const stored = await loadVisitors(on, tables.state, keys);
  const rollups = new RollupDeltas();
  const facts = new FactChanges(rollups);
  const days = new ChangedDays();
  const gone: ReadModelRow[] = [];
  const numbers: number[] = [];
  let lastAt = -Infinity;
  for (const key of keys) {
    const { sessions, number } = stored.get(actorKeyOf(key)) ?? { sessions: [], number: null };
    const of = { ...key, calendar, visitor: number === null ? null : key.actor };
    for (const session of sessions) {
      gone.push({ ...key, session: session.id });
      lastAt = Math.max(lastAt, session.lastAt);
    }
    if (number !== null) numbers.push(number);
    facts.remove(of, sessions);
    days.add(of, [], sessions);
    rollups.addVisitor(of, { added: [], removed: sessions, staying: [] });
  }
  if (gone.length === 0) return new Map();
  const clicked = clickedIn([...stored.values()].flatMap(({ sessions }) => sessions));
  for (const [href, domain] of await domains.resolve(website, clicked)) rollups.addDomain(href, domain);
  await facts.takeOut(on, tables);
  await run(on, deleteRows(tables.state, sessionsModel, gone));
  for (const statement of facts.statements(tables)) await run(on, statement);
  for (const day of await closeGaps(on, tables, website, numbers)) days.addDay(website, day);
  for (const statement of days.wholeStatements(tables)) await run(on, statement);
  await lowerNewest(on, tables, { website, calendar, lastAt });
  return new Map(rollups.parts());
}

/** Gives the numbers of visitors who are gone to those with the highest ones; answers the days of UTC of their sessions. */
async function closeGaps(
  on: Queryable,
  { state }: WrittenTables,
  website: number,
  gone: readonly number[],
): Promise<readonly number[]> {
  if (gone.length === 0) return [];
  const stored = identifier(state, sessionsModel.name);
  const [counted] = await run<{ visitors: number }>(
    on,
    sql`update ${identifier(state, websiteDays.name)} set visitors = visitors - ${gone.length}
        where website = ${website} returning visitors`,
  );
  const visitors = counted?.visitors ?? 0;
  const free = gone.filter((number) => number < visitors);
  if (free.length === 0) return [];
  const moved = await run<{ day: number }>(
    on,
    sql`with highest as (
        select actor, row_number() over (order by number) as place from (
          select actor, min(visitor_number) as number from ${stored}
          where website = ${website} and visitor_number >= ${visitors} group by actor
        ) visitor
      ), moved as (
        update ${stored} s set visitor_number = free.number
        from highest join unnest(${free}::integer[]) with ordinality as free (number, place) using (place)
        where s.website = ${website} and s.actor = highest.actor
        returning (first_at at time zone 'UTC')::date - '1970-01-01'::date as day
      ) select distinct day from moved`,
  );
  return moved.map(({ day }) => day);
}

/** Lowers what is said of the newest event of a website, where that is gone. */
async function lowerNewest(
  on: Queryable,
  tables: WrittenTables,
  { website, calendar, lastAt }: Pick<Removed, 'website' | 'calendar'> & { readonly lastAt: number },
): Promise<void> {
  const days = identifier(tables.state, websiteDays.name);
  const newest = tables.targetsOf(websiteNewestEvents).map(({ schema, model }) => identifier(schema, model.name));
  const [stored] = await run<{ day: number }>(
    on,
    sql`select latest_day - '1970-01-01'::date as day from ${days} where website = ${website}`,
  );
  if (stored && stored.day > calendar.day(lastAt)) return;
  const [left] = await run<{ at: number | null }>(
    on,
    sql`select (extract(epoch from max(last_at)) * 1000)::float8 as at from ${identifier(tables.state, sessionsModel.name)}
        where website = ${website}`,
  );
  const at = left?.at ?? null;
  if (at === null) {
    for (const table of [days, ...newest]) await run(on, sql`delete from ${table} where website = ${website}`);
    return;
  }
  await run(on, sql`update ${days} set latest_day = ${dayName(calendar.day(at))}::date where website = ${website}`);
  for (const table of newest)
    await run(
      on,
      sql`update ${table} set newest_at = ${new Date(at).toISOString()}::timestamptz where website = ${website}`,
    );
}
