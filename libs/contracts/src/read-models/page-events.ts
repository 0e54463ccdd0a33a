import { distinct } from './distinct';
import { histogram, key, meaning, readModel, sum } from './read-model';

/**
 * Custom events, errors and engagement spans by website, block of days (see blocks) and the path they were sent from
 * (text id, 0 = none), as far as they add something.
 */
export const pageEvents = meaning(
  readModel('page_events', {
    website: key('integer'),
    span: key('smallint'),
    day: key('date'),
    value: key('integer'),
    custom_events: sum('integer'),
    errors: sum('integer'),
    rage_clicks: sum(),
    dead_clicks: sum(),
    /** Spans in which fields were touched, and spans with a submit. */
    form_starts: sum('integer'),
    form_submits: sum('integer'),
    /** Spans that report an active time, and their sum. */
    active: sum('integer'),
    active_ms: sum(),
    /** Active time and time on page of the spans that report both. */
    attentive_ms: sum(),
    attended_ms: sum(),
    /** Of the times to the first interaction in ms: `durationBin` of the domain. */
    first_interaction_bins: histogram(),
  }),
  1,
);

/** What a text of a page is. */
export const PAGE_TEXT = {
  rageTarget: 1,
  deadTarget: 2,
  /** The last field of a span with touched fields and no submit. */
  abandonedField: 3,
  eventName: 4,
} as const;

/** How often a text occurs on a page: clicks on a target, spans that end at a field, custom events of a name. */
export const pageTexts = readModel('page_texts', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  /** {@link PAGE_TEXT} */
  kind: key('smallint'),
  /** Text id of the path. */
  value: key('integer'),
  text: key('integer'),
  times: sum(),
});

/** Visitors with custom events, or errors, by path. */
export const customEventPageUsers = distinct('custom_event_page_users');
export const errorPageUsers = distinct('error_page_users');
