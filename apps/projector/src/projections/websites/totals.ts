import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { WebsiteUnit } from '../rollup';

/** The counters of one bucket; columns of the read models `website_daily` and `website_hourly`. */
export interface Totals {
  pageviews: number;
  visitors: number;
  sessions: number;
  bounces: number;
  duration_ms: number;
  session_events: number;
  custom_events: number;
  outgoing_links: number;
}

/** A unit's totals by bucket: hits by their own time, whole sessions by their first page view. */
export function totalsBy(bucketOf: (at: number) => number, { near, visitor }: WebsiteUnit): Map<number, Totals> {
  const buckets = new Map<number, Totals>();
  const bucket = (at: number) => {
    const key = bucketOf(at);
    let totals = buckets.get(key);
    if (!totals) buckets.set(key, (totals = none()));
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

const none = (): Totals => ({
  pageviews: 0,
  visitors: 0,
  sessions: 0,
  bounces: 0,
  duration_ms: 0,
  session_events: 0,
  custom_events: 0,
  outgoing_links: 0,
});
