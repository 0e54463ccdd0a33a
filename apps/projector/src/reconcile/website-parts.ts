import { WEBSITE_SCOPE } from '@ledgerline/contracts/read-models/dictionary';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf, type Calendar } from '@ledgerline/domain/sessions/calendar';
import type { Window } from '@ledgerline/domain/sessions/local-session';
import { startOfDay } from '@ledgerline/domain/time/zones';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import { factsOf } from '../projections/websites/event-facts.projections';
import { isWebsiteEvent, partOf } from '../projections/websites/read-hit';
import { shortHash, textsOfHit, weightOf } from '../projections/websites/text-faults';
import { dayName } from './findings';
import type { CountEvent } from './log-counts';

/** Days of a website. */
export interface WebsiteWindow extends Window {
  /** Text id. */
  readonly website: number;
  readonly calendar: Calendar;
  /** The instant at which the first day begins, and that at which the last one ends. */
  readonly begin: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;

/** Each hit of a website: in a session, and in the table of facts of its type. */
export const countHit: CountEvent = (event) => {
  if (!isWebsiteEvent(event)) return undefined;
  const { websiteId, zone, visitorId, sessionId } = event.data;
  const facts = factsOf(event.type);
  const texts = textsOfHit(partOf(event, shortHash)).reduce(
    (sum, hash, place) => sum + hash * weightOf(event.at, place),
    0,
  );
  return {
    subject: websiteId,
    day: calendarOf(zone).day(event.at),
    adds: facts ? { [sessions.name]: 1, [facts.builds.name]: 1 } : { [sessions.name]: 1 },
    texts,
    identity: `${visitorId ?? sessionId ?? ''} ${event.at} ${event.id}`,
    zone,
  };
};

export function windowOf(website: number, zone: string, since: number, until: number): WebsiteWindow {
  const startOf = (day: number) => startOfDay(dayName(day), zone);
  return { website, calendar: calendarOf(zone), since, until, begin: startOf(since), end: startOf(until + 1) };
}

/** Numbers of the websites of the tables, by id; of all, or of some. */
export async function readWebsites(
  on: Queryable,
  ids: readonly string[] | null = null,
): Promise<ReadonlyMap<string, number>> {
  const hashes = ids?.map(textHash) ?? null;
  const rows = await run<{ id: number; text: string; hash: string }>(
    on,
    sql`select id, text, replace(hash::text, '-', '') as hash from dictionary
      where scope = ${WEBSITE_SCOPE} and (${hashes}::uuid[] is null or hash = any(${hashes}::uuid[]))`,
  );
  const named = new Map(ids?.map((id) => [textHash(id), id])); // whatever the text is by now
  return new Map(rows.map(({ id, text, hash }) => [named.get(hash) ?? text, id]));
}

/** The days of UTC into which a local day reaches. */
export function utcDaysOf(day: number, zone: string): readonly number[] {
  if (zone === 'UTC') return [day];
  const [begin, end] = [day, day + 1].map((each) => startOfDay(dayName(each), zone)) as [number, number];
  const first = Math.floor(begin / DAY_MS);
  return Array.from({ length: Math.ceil(end / DAY_MS) - first }, (_, at) => first + at);
}
