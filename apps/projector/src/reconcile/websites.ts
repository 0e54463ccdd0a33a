import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { Dictionary } from '../projections/websites/dictionary';
import { EVENT_FACTS } from '../projections/websites/event-facts.projections';
import { HrefDomains } from '../projections/websites/href-domains';
import { HIT_TYPES } from '../projections/websites/read-hit';
import { findChangedTexts } from '../projections/websites/text-faults';
import { compareNumbers } from './compare-numbers';
import { compareSealed } from './compare-sealed';
import { compareWindow } from './compare-window';
import type { DayComparison, DueDays, SubjectTables } from './day-comparison';
import type { Finding } from './findings';
import { signKept } from './kept-signatures';
import { answeringTable } from './live-partition';
import { NONE, TEXTS } from './log-counts';
import { countHit, readWebsites, utcDaysOf, windowOf } from './website-parts';

/** Days with about so many events are compared at once. */
const EVENTS_AT_ONCE = 30_000;
/** Between two days with events; this many are looked at. */
const MOST_DAYS = 64;

/**
 * The events of each day in the log are compared with those in sessions and facts, and these with what is kept of the day
 * and with the sealed days.
 */
export const WEBSITES: SubjectTables = {
  types: HIT_TYPES,
  count: countHit,
  countedAs: 'with texts',
  models: [sessions, ...EVENT_FACTS.map(({ builds }) => builds), sessionDays],
  sign: signKept,
  column: 'website',
  subjects: async ({ pool }) => [...(await readWebsites(pool)).keys()],
  async valuesOf(on, websites) {
    const numbers = await readWebsites(on, websites);
    return websites.map((id) => numbers.get(id) ?? NO_TEXT);
  },
  changedTexts: (on, websites) => findChangedTexts(on, websites.map(Number)),
  atOnce: 50,
  async compare(due, comparison) {
    for (const each of due) await compareWebsite(each, comparison);
  },
};

async function compareWebsite(due: DueDays, comparison: DayComparison): Promise<void> {
  const { pool, tables } = comparison.live;
  const { subject } = due;
  const website = Number(due.value);
  const days = [...due.days.keys()];
  const domains = new HrefDomains(new Dictionary(pool));
  const eventsOf = (day: number) => comparison.loggedOn({ subject, day }).get(sessions.name)?.events ?? 0;
  for (const stretch of divide(days, eventsOf)) {
    await comparison.inSnapshot((on, upTo) => compareDays(on, upTo, { due, stretch, domains, comparison }));
  }
  const day = Math.max(...days);
  await comparison.inSnapshot(async (on) =>
    (await compareNumbers(on, tables, { website, day })).map((each) => ({ ...each, subject })),
  );
}

interface Stretch {
  readonly due: DueDays;
  readonly stretch: readonly [since: number, until: number];
  readonly domains: HrefDomains;
  readonly comparison: DayComparison;
}

async function compareDays(
  on: Queryable,
  upTo: Cursor,
  { due, stretch: [since, until], domains, comparison }: Stretch,
): Promise<readonly Finding[]> {
  const { tables } = comparison.live;
  const { subject, zone } = due;
  const of = windowOf(Number(due.value), zone, since, until);
  const { differences, counts } = await compareWindow(on, tables, of, domains);
  const days = [...due.days.keys()].filter((day) => day >= since && day <= until);
  const counted = [sessions, ...EVENT_FACTS.map(({ builds }) => builds)].filter((each) => answeringTable(tables, each));
  for (const day of days) {
    const names = [...counted.map(({ name }) => name), TEXTS];
    const stored = new Map(names.map((name) => [name, counts.get(day)?.get(name) ?? NONE]));
    comparison.suspect({ subject, day }, stored, upTo);
  }
  const utcDays = [...new Set(days.flatMap((day) => utcDaysOf(day, zone)))];
  const sealed = await compareSealed(on, tables, of.website, utcDays);
  for (const day of days)
    if (sealed.some((each) => utcDaysOf(day, zone).includes(each.day))) comparison.leaveUnproven({ subject, day });
  return [...differences, ...sealed].map((each) => ({ ...each, subject }));
}

/** Stretches of days with about so many events, and at least a day; other days in between have no events. */
function divide(days: readonly number[], eventsOf: (day: number) => number): [since: number, until: number][] {
  const stretches: [number, number][] = [];
  let held = 0;
  for (const day of days) {
    const last = stretches.at(-1);
    held += eventsOf(day);
    if (last && held <= EVENTS_AT_ONCE && isEmptyBetween(last[1], day, eventsOf)) last[1] = day;
    else {
      stretches.push([day, day]);
      held = eventsOf(day);
    }
  }
  return stretches;
}

function isEmptyBetween(since: number, until: number, eventsOf: (day: number) => number): boolean {
  if (until - since > MOST_DAYS) return false;
  for (let day = since + 1; day < until; day++) if (eventsOf(day) > 0) return false;
  return true;
}
