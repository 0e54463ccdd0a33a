import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { pageVisits } from '@ledgerline/contracts/read-models/website-engagement';
import { errorSessions } from '@ledgerline/contracts/read-models/website-errors';
import { activityAround, byDay, type Activity } from '@ledgerline/domain/sessions/activity';
import type { Calendar } from '@ledgerline/domain/sessions/calendar';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { pageVisitsOf, type PageVisit } from '@ledgerline/domain/sessions/page-visits';
import type { Session } from '@ledgerline/domain/sessions/session';
import { entryOf } from '@ledgerline/platform/database/histogram';
import { changedValues } from './dimensions.projections';
import { distinctIntoBlocks, withEveryValue } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

const NO_VISITS = { timed: 0, time_ms: 0, scrolled: 0, scroll: 0, interacted: 0, interactions: 0, time_bins: [] };
const COUNTED = ['timed_visitors', 'scrolled_visitors', 'timed_sessions', 'scrolled_sessions'] as const;
const NOT_COUNTED = { timed_visitors: 0, scrolled_visitors: 0, timed_sessions: 0, scrolled_sessions: 0 };

const visitsByPage = rollup(
  pageVisits,
  (input, add) => {
    const { website, near, calendar, window } = input;
    for (const { session } of near) {
      for (const visit of pageVisitsOf(session)) {
        const key = { website, span: 1, day: calendar.day(visit.at), value: visit.path, previous_day: -Infinity };
        add({ ...key, ...NOT_COUNTED, ...measuresOf(visit) });
      }
      count(measuredOn(session, calendar), 'sessions');
    }
    count(visitorActivity(input), 'visitors');

    function count(activities: readonly Activity[], of: 'visitors' | 'sessions'): void {
      for (const { value, day, previousDay: previous_day } of byDay(activities, window)) {
        const key = { website, span: 1, day, value: value >> 1, previous_day };
        const counted = value % 2 === TIMED ? { [`timed_${of}`]: 1 } : { [`scrolled_${of}`]: 1 };
        add({ ...key, ...NO_VISITS, ...NOT_COUNTED, ...counted });
      }
    }
  },
  withEveryValue(pageVisits, distinctIntoBlocks(COUNTED, NO_VISITS)),
);

const measuresOf = ({ timeMs, scroll, interactions }: PageVisit) => ({
  timed: timeMs < 0 ? 0 : 1,
  time_ms: Math.max(timeMs, 0),
  scrolled: scroll < 0 ? 0 : 1,
  scroll: Math.max(scroll, 0),
  interacted: interactions < 0 ? 0 : 1,
  interactions: Math.max(interactions, 0),
  time_bins: timeMs < 0 ? [] : [entryOf(durationBin(timeMs))],
});

const [TIMED, SCROLLED] = [0, 1];

/** What visitors and sessions are counted for, as one value: the path, doubled, and which of both is known. */
function countedFor({ path, timeMs, scroll }: PageVisit): readonly number[] {
  return [...(timeMs < 0 ? [] : [2 * path + TIMED]), ...(scroll < 0 ? [] : [2 * path + SCROLLED])];
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
