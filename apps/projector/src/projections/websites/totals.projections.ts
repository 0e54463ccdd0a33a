import { HIT } from '@ledgerline/contracts/read-models/sessions';
import {
  sessionDurations,
  websiteDaily,
  websiteHourly,
  websiteVisitors,
} from '@ledgerline/contracts/read-models/website-totals';
import { activityAround, byDay } from '@ledgerline/domain/sessions/activity';
import { durationBin } from '@ledgerline/domain/sessions/duration-bins';
import { distinctIntoBlocks, intoBlocks } from './into-blocks';
import { rollup, type Rollup, type RollupInput } from './rollup';

const daily = rollup(websiteDaily, (input, add) => {
  const { website, calendar } = input;
  for (const [day, totals] of totalsBy((at) => calendar.day(at), input)) add({ website, day, ...totals });
});

const hourly = rollup(websiteHourly, (input, add) => {
  const { website, calendar } = input;
  for (const [hour, totals] of totalsBy((at) => calendar.hour(at), input)) add({ website, hour, ...totals });
});

/** The values of activity: on any page, and on the first page of a session. */
const [ANYWHERE, ENTERED] = [0, 1];

const visitors = rollup(
  websiteVisitors,
  (input, add) => {
    const { website, visitor, window } = input;
    if (visitor === null) return;
    const activities = activityAround(input, new Set([ANYWHERE, ENTERED]), ({ viewDays, enteredDay }, emit) => {
      for (const { day, pageviews } of viewDays) emit(ANYWHERE, day, pageviews, 0);
      if (enteredDay !== undefined) emit(ENTERED, enteredDay, 0, 1);
    });
    for (const { value, day, previousDay: previous_day } of byDay(activities, window)) {
      const [visitors, entrants] = value === ANYWHERE ? [1, 0] : [0, 1];
      add({ website, span: 1, day, previous_day, visitors, entrants });
    }
  },
  distinctIntoBlocks(['visitors', 'entrants']),
);

const durations = rollup(
  sessionDurations,
  ({ website, near }, add) => {
    for (const { session, enteredDay: day } of near) {
      if (day !== undefined) add({ website, span: 1, day, bins: [durationBin(session.durationMs), 1] });
    }
  },
  intoBlocks,
);

export const TOTALS: readonly Rollup[] = [daily, hourly, visitors, durations];

/** The counters of one bucket; columns of the read models `website_daily` and `website_hourly`. */
interface Counters {
  pageviews: number;
  visitors: number;
  sessions: number;
  bounces: number;
  duration_ms: number;
  session_events: number;
  custom_events: number;
  outgoing_links: number;
}

/** A visitor's totals by bucket: hits by their own time, whole sessions by their first page view. */
function totalsBy(bucketOf: (at: number) => number, { near, visitor }: RollupInput): Map<number, Counters> {
  const buckets = new Map<number, Counters>();
  const bucket = (at: number) => {
    const key = bucketOf(at);
    let totals = buckets.get(key);
    if (!totals) buckets.set(key, (totals = zero()));
    return totals;
  };
  for (const { session } of near) {
    for (const { at, kind } of session.hits) {
      if (kind === HIT.view) {
        const totals = bucket(at);
        totals.pageviews++;
        totals.visitors = visitor === null ? 0 : 1;
      } else if (kind === HIT.custom) bucket(at).custom_events++;
      else if (kind === HIT.outgoing) bucket(at).outgoing_links++;
    }
    if (session.enteredAt === null) continue;
    const totals = bucket(session.enteredAt);
    totals.sessions++;
    totals.bounces += session.bounced ? 1 : 0;
    totals.duration_ms += session.durationMs;
    totals.session_events += session.pageviews + session.customEvents + session.outgoingLinks;
  }
  return buckets;
}

const zero = (): Counters => ({
  pageviews: 0,
  visitors: 0,
  sessions: 0,
  bounces: 0,
  duration_ms: 0,
  session_events: 0,
  custom_events: 0,
  outgoing_links: 0,
});
