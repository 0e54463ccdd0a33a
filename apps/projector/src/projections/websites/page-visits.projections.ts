import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { errorSessions } from '@ledgerline/contracts/read-models/website-errors';
import { activityAround, byDay, type Activity, type DailyActivity } from '@ledgerline/domain/sessions/activity';
import type { Calendar } from '@ledgerline/domain/sessions/calendar';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { pageVisitsOf, type PageVisit } from '@ledgerline/domain/sessions/page-visits';
import type { Session } from '@ledgerline/domain/sessions/session';
import { changedValues } from './dimensions.projections';
import { distinctIntoBlocks, withEveryValue } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

const NO_VISITS = {
  timed: 0,
  time_ms: 0,
  scrolled: 0,
  scroll: 0,
  interacted: 0,
  interactions: 0,
  time_bins: [] as number[],
};
const COUNTED = ['timed_visitors', 'scrolled_visitors', 'timed_sessions', 'scrolled_sessions'] as const;

const visitsByPage = rollup(
  pageVisits,
  (input, add) => {
    const { website, near, calendar, window } = input;
    for (const { session } of near) {
      const visits = pageVisitsOf(session);
      if (visits.length === 0) continue;
      for (const visit of visits) add(visitRow(website, calendar.day(visit.at), visit));
      for (const of of byDay(measuredOn(session, calendar), window)) add(countRow(website, of, 0, 1));
    }
    for (const of of byDay(visitorActivity(input), window)) add(countRow(website, of, 1, 0));
  },
  withEveryValue(pageVisits, distinctIntoBlocks(COUNTED, NO_VISITS)),
);

// TRICKY: both are plain literals; one that begins with a spread takes V8 twenty times as long
const visitRow = (website: number, day: number, { path, timeMs, scroll, interactions }: PageVisit) => ({
  website,
  span: 1,
  day,
  value: path,
  previous_day: -Infinity,
  timed: timeMs < 0 ? 0 : 1,
  time_ms: Math.max(timeMs, 0),
  scrolled: scroll < 0 ? 0 : 1,
  scroll: Math.max(scroll, 0),
  interacted: interactions < 0 ? 0 : 1,
  interactions: Math.max(interactions, 0),
  timed_visitors: 0,
  timed_sessions: 0,
  scrolled_visitors: 0,
  scrolled_sessions: 0,
  time_bins: timeMs < 0 ? NO_VISITS.time_bins : [durationBin(timeMs), 1],
});

function countRow(
  website: number,
  { value, day, previousDay }: DailyActivity,
  visitors: number,
  sessions: number,
): ReturnType<typeof visitRow> {
  const isTimed = value % 2 === TIMED;
  return {
    website,
    span: 1,
    day,
    value: Math.floor(value / 2),
    previous_day: previousDay,
    timed: 0,
    time_ms: 0,
    scrolled: 0,
    scroll: 0,
    interacted: 0,
    interactions: 0,
    timed_visitors: isTimed ? visitors : 0,
    timed_sessions: isTimed ? sessions : 0,
    scrolled_visitors: isTimed ? 0 : visitors,
    scrolled_sessions: isTimed ? 0 : sessions,
    time_bins: NO_VISITS.time_bins,
  };
}

const [TIMED, SCROLLED] = [0, 1];

/** What visitors and sessions are counted for, as one value: the path, doubled, and which of both is known. */
function countedFor({ path, timeMs, scroll }: PageVisit): readonly number[] {
  if (timeMs < 0) return scroll < 0 ? [] : [2 * path + SCROLLED];
  return scroll < 0 ? [2 * path + TIMED] : [2 * path + TIMED, 2 * path + SCROLLED];
}

function measuredOn(session: Session, calendar: Calendar): readonly Activity[] {
  return pageVisitsOf(session).flatMap((visit) => {
    const day = calendar.day(visit.at);
    return countedFor(visit).map((value) => ({ value, day, pageviews: 0, sessions: 0 }));
  });
}

function visitorActivity(input: RollupInput): readonly Activity[] {
  if (input.visitor === null) return [];
  const changing = changedValues(input, (session) => pageVisitsOf(session).flatMap(countedFor));
  if (changing.size === 0) return [];
  return activityAround(input, changing, ({ session }, emit) => {
    for (const { value, day } of measuredOn(session, input.calendar)) emit(value, day, 0, 0);
  });
}

const sessionsWithErrors = rollup(errorSessions, ({ website, near }, add) => {
  for (const { session, enteredDay: day } of near) {
    if (day !== undefined && session.hits.some(({ kind }) => kind === HIT.error)) add({ website, day, sessions: 1 });
  }
});

export const REPORTS: readonly Rollup[] = [visitsByPage, sessionsWithErrors];
