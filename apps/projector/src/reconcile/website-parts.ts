import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays } from '@ledgerline/contracts/read-models/website-days';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { startOfDay } from '@ledgerline/domain/time/zones';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { factsOf } from '../projections/websites/event-facts.projections';
import { isWebsiteEvent } from '../projections/websites/read-hit';
import type { IsClosed } from '../projections/websites/rollup';
import type { WebsiteWindow } from './expected-rollups';
import { dayName } from './findings';
import type { CountEvent } from './log-counts';

/** Days beyond all events: what a table holds outside of them is found, too. */
const [FIRST_DAY, LAST_DAY] = [-700_000, 2_900_000];

/** Each hit of a website: in a session, and in the table of facts of its type. */
export const countHit: CountEvent = (event) => {
  if (!isWebsiteEvent(event)) return undefined;
  const { websiteId, zone, visitorId, sessionId } = event.data;
  const facts = factsOf(event.type);
  return {
    subject: websiteId,
    day: calendarOf(zone).day(event.at),
    adds: facts ? { [sessions.name]: 1, [facts.builds.name]: 1 } : { [sessions.name]: 1 },
    identity: `${visitorId ?? sessionId ?? ''} ${event.at} ${event.id}`,
    zone,
  };
};

export function windowOf(website: number, zone: string, since: number, until: number): WebsiteWindow {
  const startOf = (day: number) => startOfDay(dayName(day), zone);
  return { website, zone, calendar: calendarOf(zone), since, until, begin: startOf(since), end: startOf(until + 1) };
}

/** Whether days of a website are over, as the tables say. */
export async function readClosed(on: Queryable, schema: string, website: number): Promise<IsClosed> {
  const [state] = await run<{ latest: number }>(
    on,
    sql`select latest_day - '1970-01-01'::date as latest from ${identifier(schema, websiteDays.name)}
      where website = ${website}`,
  );
  return ({ day }) => (day as number) < (state?.latest ?? -Infinity);
}

/** Numbers of the websites in the tables, and of these others, by id. */
export async function readWebsites(
  on: Queryable,
  schema: string,
  others: Iterable<string>,
): Promise<ReadonlyMap<string, number>> {
  const rows = await run<{ id: number; text: string }>(
    on,
    sql`select id, text from dictionary where scope = ${WEBSITE_SCOPE}
      and (text = any(${[...others]}::text[]) or id in (select website from ${identifier(schema, websiteDays.name)}))`,
  );
  return new Map(rows.map(({ id, text }) => [text, id]));
}

/**
 * All days of a website, divided so that sessions of about so many fall on each part, and at least a day; the first
 * part begins, and the last one ends, beyond all events.
 */
export async function divideDays(
  on: Queryable,
  schema: string,
  { website, zone, size }: { readonly website: number; readonly zone: string; readonly size: number },
): Promise<WebsiteWindow[]> {
  const rows = await run<{ day: number; sessions: number }>(
    on,
    sql`select first_at::date - '1970-01-01'::date as day, count(*)::integer as sessions
      from ${identifier(schema, sessions.name)} where website = ${website} group by 1 order by 1`,
  );
  const windows: WebsiteWindow[] = [];
  let [since, held] = [FIRST_DAY, 0];
  for (const { day, sessions: more } of rows) {
    if (held > 0 && held + more > size) {
      windows.push(windowOf(website, zone, since, day - 1));
      [since, held] = [day, 0];
    }
    held += more;
  }
  return [...windows, windowOf(website, zone, since, LAST_DAY)];
}
