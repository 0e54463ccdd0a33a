import { GAMMA } from './encodings';
import { histogram, key, meaning, readModel, sum } from './read-model';

const totals = {
  pageviews: sum(),
  /** Distinct visitors with a page view in this very bucket. */
  visitors: sum(),
  /** Sessions, bounces and durations belong to the bucket of the session's first page view. */
  sessions: sum(),
  bounces: sum(),
  duration_ms: sum(),
  /** `pageviews + custom_events + outgoing_links` of the sessions of this bucket. */
  session_events: sum(),
  custom_events: sum(),
  outgoing_links: sum(),
};

/** One row per website and day of its own zone. */
export const websiteDaily = readModel('website_daily', { website: key('integer'), day: key('date'), ...totals });

/** One row per website and hour of its own zone; `hour` is the instant the local hour begins. */
export const websiteHourly = readModel('website_hourly', {
  website: key('integer'),
  hour: key('timestamptz'),
  ...totals,
});

/**
 * Exact distinct visitors over any range of days, in blocks of days; read like a dimension (see website-dimensions).
 * `visitors` have a page view, `entrants` a session whose first page view lies there.
 */
export const websiteVisitors = readModel('website_visitors', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  previous_day: key('date'),
  visitors: sum('integer'),
  entrants: sum('integer'),
});

/** Durations of sessions in blocks of days, as a histogram: a bin is `durationBin` of the domain, values within 1 %. */
export const sessionDurations = meaning(
  readModel('session_durations', {
    website: key('integer'),
    span: key('smallint'),
    day: key('date'),
    bins: histogram(),
  }),
  ...[2, GAMMA],
);
