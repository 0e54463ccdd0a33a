import { key, last, max, readModel } from './read-model';

/** What a row of facts says of its event. */
const OF_EVENT = {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
};

/** Facts: one row per engagement span, with what leaves do not report. A measure that was not sent is null, a count 0. */
export const engagementSpans = readModel('engagement_spans', {
  ...OF_EVENT,
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

/** Facts: one row per error of a page. Texts are text ids (0 = missing). */
export const errors = readModel('errors', {
  ...OF_EVENT,
  path: last('integer'),
  message: last('integer'),
  error_type: last('integer'),
  filename: last('integer'),
  lineno: last('integer?'),
  colno: last('integer?'),
  stack: last('text?'),
  /** Those of the error itself, for sessions without a page view. */
  country: last('integer'),
  device_type: last('integer'),
  browser_name: last('integer'),
  os_name: last('integer'),
});

/** Facts: one row per custom event. Name and path are text ids (0 = missing). */
export const customEvents = readModel('custom_events', {
  ...OF_EVENT,
  name: last('integer'),
  namespace: last('text?'),
  path: last('integer'),
  properties: last('jsonb?'),
});

/** The metrics by their place (from 0), which is how the read models name them. */
export const METRICS = ['LCP', 'FCP', 'CLS', 'INP', 'TTFB', 'FPS'] as const;

/** Facts: one row per measured vital. */
export const vitals = readModel('vitals', {
  ...OF_EVENT,
  /** Text id. */
  path: last('integer'),
  metric: last('smallint'),
  /** Millionths, so that sums are exact. */
  micros: last('bigint'),
});

/** Facts: one row per page view that a click on a short link led to. */
export const linkVisits = readModel(
  'link_visits',
  {
    ...OF_EVENT,
    /** Text ids, of the link its id. */
    path: last('integer'),
    link: last('integer'),
    /** Id of the click's event, which several page views may carry. */
    click: last('text'),
  },
  [{ on: ['click'], using: 'hash' }],
);

/** The latest day of each website, in its own zone, on which anything happened. `visitors` have a number in `sessions`. */
export const websiteDays = readModel('website_days', {
  website: key('integer'),
  latest_day: max('date'),
  visitors: max('integer'),
});

/** The time of the newest event of each website: a table of its own, as `website_days` is what others are computed from. */
export const websiteNewestEvents = readModel('website_newest_events', {
  website: key('integer'),
  newest_at: max('timestamptz'),
});

/** The host of each href that was clicked on a website, both as text ids. */
export const linkDomains = readModel('link_domains', {
  website: key('integer'),
  value: key('integer'),
  domain: last('integer'),
});
