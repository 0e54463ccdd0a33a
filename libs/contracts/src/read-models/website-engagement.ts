import { distinct } from './distinct';
import { SCROLL_RANGE_STARTS } from './encodings';
import { histogram, key, last, meaning, readModel, sum } from './read-model';

/** Facts: one row per engagement span, with what leaves do not report. A measure that was not sent is null, a count 0. */
export const engagementSpans = readModel('engagement_spans', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  /** Text ids (0 = missing), as the targets and the field. */
  path: last('integer'),
  time_ms: last('integer?'),
  active_ms: last('integer?'),
  first_interaction_ms: last('integer?'),
  rage_clicks: last('integer'),
  dead_clicks: last('integer'),
  rage_target: last('integer'),
  dead_target: last('integer'),
  form_fields: last('integer'),
  form_submits: last('integer'),
  last_field: last('integer'),
});

/**
 * Visits of pages (docs/definitions.md) by website, block of days (see blocks), path (EVERY_VALUE = their sum) and
 * previous day (see website-dimensions): those of which the time, the scroll depth, the interactions are known, what
 * these add up to, and the distinct visitors and sessions of those of which the time and the scroll depth are known.
 */
export const pageVisits = readModel('page_visits', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  value: key('integer'),
  previous_day: key('date'),
  timed: sum('integer'),
  scrolled: sum('integer'),
  interacted: sum('integer'),
  time_ms: sum(),
  /** Hundredths of a percent. */
  scroll: sum(),
  interactions: sum(),
  timed_visitors: sum('integer'),
  timed_sessions: sum('integer'),
  scrolled_visitors: sum('integer'),
  scrolled_sessions: sum('integer'),
  /** Of the known times in ms: `durationBin` of the domain. */
  time_bins: histogram(),
});

/** What sessions and visitors are counted for, as the value of the next two; up to 5 it is the place of a scroll range. */
export const ENGAGED = { reported: 10, interactive: 11, scrolled: 12 } as const;
export const engagedSessions = meaning(distinct('engaged_sessions'), 1, ...SCROLL_RANGE_STARTS);
export const engagedVisitors = meaning(distinct('engaged_visitors'), 1, ...SCROLL_RANGE_STARTS);
