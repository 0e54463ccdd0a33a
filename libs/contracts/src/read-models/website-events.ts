import { distinct } from './distinct';
import { key, last, max, min, readModel, sum } from './read-model';

/** One row per website, event name and block of days (see blocks), as all that follow. */
export const customEventsDaily = readModel('custom_events_daily', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  value: key('integer'),
  total_events: sum(),
  events_with_properties: sum(),
  first_at: min('timestamptz'),
  last_at: max('timestamptz'),
});
/** EVERY_VALUE = those with any custom event. */
export const customEventUsers = distinct('custom_event_users');
export const customEventSessions = distinct('custom_event_sessions');

/** One row per website, href and block of days, with the text of its latest click. */
export const outboundLinksDaily = readModel('outbound_links_daily', {
  website: key('integer'),
  span: key('smallint'),
  day: key('date'),
  value: key('integer'),
  /** Text id of the href's host. */
  domain: key('integer'),
  total_clicks: sum(),
  last_at: max('timestamptz'),
  /** ISO time and event id of the latest click, as one sortable text. */
  last_click: max('text'),
  text: last('integer', 'last_click'),
});
export const outboundLinkUsers = distinct('outbound_link_users');
export const outboundLinkSessions = distinct('outbound_link_sessions');
export const outboundDomainUsers = distinct('outbound_domain_users');

/** Facts: one row per custom event. Name and path are text ids (0 = missing). */
export const customEvents = readModel('custom_events', {
  website: key('integer'),
  at: key('timestamptz'),
  id: key('uuid'),
  /** As in sessions: the same event of another visitor is another one. */
  actor: key('uuid'),
  visitor: last('uuid?'),
  /** The session it lies in; null = none. */
  session: last('uuid?'),
  name: last('integer'),
  namespace: last('text?'),
  path: last('integer'),
  properties: last('jsonb?'),
});
