import { EVENT_KINDS, type EventField, PAGE_FIELDS } from './event-kinds';
import { type ReadModelColumn, key, last, max, readModel } from './read-model';

/** The columns in which a row of facts names its event. */
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

/** The columns of a kind's facts. */
const columnsOf = <const Name extends string>(facts: { readonly columns: Readonly<Record<Name, EventField>> }) =>
  Object.fromEntries(
    Object.entries<EventField>({ ...PAGE_FIELDS, ...facts.columns }).map(([name, { column }]) => [name, last(column)]),
  ) as Readonly<Record<keyof typeof PAGE_FIELDS | Name, ReadModelColumn<'last'>>>;

/** Facts: one row per engagement span, with what leaves do not report. A measure that was not sent is null, a count 0. */
export const engagementSpans = readModel('engagement_spans', {
  ...OF_EVENT,
  ...columnsOf(EVENT_KINDS.engagement.facts),
});

/** Facts: one row per error of a page. */
export const errors = readModel('errors', { ...OF_EVENT, ...columnsOf(EVENT_KINDS.error.facts) });

/** Facts: one row per custom event. */
export const customEvents = readModel('custom_events', { ...OF_EVENT, ...columnsOf(EVENT_KINDS.custom.facts) });

/** Facts: one row per measured vital. */
export const vitals = readModel('vitals', { ...OF_EVENT, ...columnsOf(EVENT_KINDS.vital.facts) });

/** Facts: one row per page view that a click on a short link led to; several may carry the id of one click's event. */
export const linkVisits = readModel('link_visits', { ...OF_EVENT, ...columnsOf(EVENT_KINDS.view.facts) }, [
  { on: ['click'], using: 'hash' },
]);

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
