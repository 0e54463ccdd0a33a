import type { Count } from '@ledgerline/domain/counting/count';
import { attributeDimensions } from '@ledgerline/contracts/read-models/attribute-dimensions';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import type { Distinct } from '@ledgerline/contracts/read-models/distinct';
import {
  customEventPageUsers,
  errorPageUsers,
  PAGE_TEXT,
  pageEvents,
  pageTexts,
} from '@ledgerline/contracts/read-models/page-events';
import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import * as dimensions from '@ledgerline/contracts/read-models/website-dimensions';
import {
  ENGAGED,
  engagedSessions,
  engagedVisitors,
  pageVisits,
} from '@ledgerline/contracts/read-models/website-engagement';
import * as errors from '@ledgerline/contracts/read-models/website-errors';
import * as events from '@ledgerline/contracts/read-models/website-events';
import * as totals from '@ledgerline/contracts/read-models/website-totals';
import { pageVitals } from '@ledgerline/contracts/read-models/website-vitals';

import * as counts from '@ledgerline/domain/counts/website-counts';
import { ATTRIBUTES } from '@ledgerline/domain/sessions/session';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { asHistograms } from './steps';

/** A table that holds what is kept of some counts. */
export interface KeptTable {
  readonly builds: ReadModel;
  readonly parts: readonly KeptPart[];
  /** Its rows are about days by default. */
  readonly bucket?: 'hour';
  /** It also has rows of the sum of all values. */
  readonly hasEveryValue?: true;
  /** A second table, for the rows of days that are over. */
  readonly closed?: { readonly builds: ReadModel; readonly rowsOf: (rows: readonly Row[]) => readonly Row[] };
}

export const targetsOf = ({ builds, closed }: KeptTable): readonly ReadModel[] =>
  closed ? [builds, closed.builds] : [builds];

/** What a count adds to the rows of a table: measures as columns, and values that all of these rows have. */
export interface KeptPart {
  readonly count: Count;
  readonly columns: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, number>>;
  /** Keys of the count with the columns that hold them, where the names differ. */
  readonly keys?: Readonly<Record<string, string>>;
}

const part = (
  count: Count,
  columns: KeptPart['columns'],
  more: Omit<KeptPart, 'count' | 'columns'> = {},
): KeptPart => ({
  count,
  columns,
  ...more,
});

const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const totalsParts = (): readonly KeptPart[] => [
  part(counts.VIEWS, same('pageviews', 'visitors')),
  part(counts.VISITS, same('sessions', 'bounces')),
  part(counts.SESSION_EVENTS, same('duration_ms', 'session_events')),
  part(counts.CUSTOM_EVENTS, same('custom_events')),
  part(counts.OUTGOING_LINKS, same('outgoing_links')),
];

/** Visitors by value and day, with the day they were there before, and page views and sessions of a value. */
const dimension = (builds: dimensions.Dimension, ...parts: readonly KeptPart[]): KeptTable => ({
  builds,
  parts,
  hasEveryValue: true,
});

/** Each session counts as a page view. */
const ofSessions = (count: Count, sessions: string, keys = {}): readonly KeptPart[] => [
  part(count, { ...same('visitors'), [sessions]: 'pageviews' }, { keys }),
  part(count, { [sessions]: 'sessions' }, { keys }),
];

const distinct = (builds: Distinct, ...parts: readonly KeptPart[]): KeptTable => ({
  builds,
  parts,
});

const distinctIn = (count: Count, measure: string, more: Parameters<typeof part>[2] = {}) =>
  part(count, { [measure]: 'distinct_count' }, more);

const of = (value: number) => ({ values: { value } });
const EVERY = of(EVERY_VALUE);
const ofKind = (kind: number) => ({ values: { kind } });
const BY_PLACE = { keys: { place: 'value' } };

const { OUTBOUND_LINKS } = counts;
const LINKS_WITH_DOMAIN: Count = OUTBOUND_LINKS;
const ERROR_FIGURES = { count: 'errors', last_seen: 'last_at' };

/** Everything that is kept of the sessions and facts of websites. */
export const KEPT_TABLES: readonly KeptTable[] = [
  { builds: totals.websiteDaily, parts: totalsParts() },
  { builds: totals.websiteHourly, parts: totalsParts(), bucket: 'hour' },
  {
    builds: totals.websiteVisitors,
    parts: [part(counts.VIEWS, same('visitors')), part(counts.VISITS, { visitors: 'entrants' })],
  },
  { builds: totals.sessionDurations, parts: [part(counts.VISITS, { median_ms: 'bins' })] },
  dimension(
    dimensions.topPages,
    part(counts.PAGES, same('pageviews', 'visitors')),
    part(counts.ENTRIES, { pageviews: 'sessions' }),
  ),
  dimension(dimensions.entryPages, ...ofSessions(counts.ENTRIES, 'pageviews')),
  dimension(dimensions.exitPages, ...ofSessions(counts.EXITS, 'pageviews')),
  dimension(dimensions.sessionDurationRanges, ...ofSessions(counts.DURATIONS, 'sessions', BY_PLACE.keys)),
  ...ATTRIBUTES.map((name) =>
    dimension(attributeDimensions[name], part(counts.viewsBy(name), same('pageviews', 'visitors'))),
  ),
  {
    builds: events.customEventsDaily,
    parts: [
      part(counts.EVENT_NAMES, {
        ...same('total_events', 'events_with_properties'),
        ...{ first_occurrence: 'first_at', last_occurrence: 'last_at' },
      }),
    ],
  },
  {
    builds: events.outboundLinksDaily,
    parts: [part(LINKS_WITH_DOMAIN, { ...same('total_clicks'), last_clicked: 'last_at', label: 'text' })],
  },
  distinct(
    events.customEventUsers,
    distinctIn(counts.EVENT_NAMES, 'unique_users'),
    distinctIn(counts.CUSTOM_EVENTS, 'users', EVERY),
  ),
  distinct(customEventPageUsers, distinctIn(counts.EVENT_PAGES, 'unique_users')),
  distinct(errorPageUsers, distinctIn(counts.ERROR_PAGES, 'users')),
  distinct(errors.errorUsers, distinctIn(counts.ERROR_TYPES, 'users'), distinctIn(counts.ERRORS, 'users', EVERY)),
  distinct(errors.affectedSessions, distinctIn(counts.ERRORS, 'sessions', EVERY)),
  distinct(events.customEventSessions, distinctIn(counts.EVENT_NAMES, 'unique_sessions')),
  distinct(events.outboundLinkUsers, distinctIn(OUTBOUND_LINKS, 'unique_users')),
  distinct(events.outboundLinkSessions, distinctIn(OUTBOUND_LINKS, 'unique_sessions')),
  distinct(events.outboundDomainUsers, distinctIn(counts.OUTBOUND_DOMAINS, 'unique_users')),
  distinct(
    engagedSessions,
    distinctIn(counts.INTERACTIONS, 'total_sessions', of(ENGAGED.reported)),
    distinctIn(counts.INTERACTIONS, 'interactive_sessions', of(ENGAGED.interactive)),
    distinctIn(counts.SCROLLING, 'total_sessions', of(ENGAGED.scrolled)),
    distinctIn(counts.SCROLL_RANGES, 'sessions', BY_PLACE),
  ),
  distinct(
    engagedVisitors,
    distinctIn(counts.SCROLLING, 'visitors', of(ENGAGED.scrolled)),
    distinctIn(counts.SCROLL_RANGES, 'visitors', BY_PLACE),
  ),
  {
    builds: latestTransitions,
    parts: [part(counts.FLOW, same('transitions', 'sessions'), { keys: { from: 'from_path', to: 'to_path' } })],
    closed: { builds: pageTransitions, rowsOf: asHistograms },
  },
  {
    builds: pageVisits,
    parts: [
      part(counts.VISITS_OF_PAGES, same('timed', 'time_ms', 'scrolled', 'scroll', 'interacted', 'interactions')),
      part(counts.TIME_ON_PAGES, {
        ...{ visitors: 'timed_visitors', sessions_with_time: 'timed_sessions', median_ms: 'time_bins' },
      }),
      part(counts.SCROLLED_PAGES, { visitors: 'scrolled_visitors', sessions: 'scrolled_sessions' }),
    ],
    hasEveryValue: true,
  },
  { builds: errors.errorSessions, parts: [part(counts.FAILED_SESSIONS, { failed_sessions: 'sessions' })] },
  {
    builds: errors.errorTexts,
    parts: [
      part(counts.ERROR_TYPES, ERROR_FIGURES, ofKind(errors.ERROR_TEXT.type)),
      part(counts.ERROR_MESSAGES, ERROR_FIGURES, ofKind(errors.ERROR_TEXT.message)),
    ],
  },
  {
    builds: pageEvents,
    parts: [
      part(counts.EVENT_PAGES, { total_events: 'custom_events' }),
      part(counts.ERROR_PAGES, same('errors')),
      part(counts.FRUSTRATION, same('rage_clicks', 'dead_clicks')),
      part(counts.FORMS, same('form_starts', 'form_submits')),
      part(counts.ATTENTION, {
        ...same('active', 'active_ms', 'attentive_ms', 'attended_ms'),
        first_interaction_ms: 'first_interaction_bins',
      }),
    ],
  },
  {
    builds: pageTexts,
    parts: [
      part(counts.EVENT_NAMES_OF_PAGES, same('times'), ofKind(PAGE_TEXT.eventName)),
      part(counts.RAGE_TARGETS, same('times'), ofKind(PAGE_TEXT.rageTarget)),
      part(counts.DEAD_TARGETS, same('times'), ofKind(PAGE_TEXT.deadTarget)),
      part(counts.ABANDONED_FIELDS, same('times'), ofKind(PAGE_TEXT.abandonedField)),
    ],
  },
  {
    builds: pageVitals,
    parts: [
      part(counts.VITALS_OF_PAGES, { ...same('samples', 'micros'), median: 'bins' }),
      part(counts.VITALS, { ...same('samples', 'micros'), median: 'bins' }, EVERY),
    ],
  },
];
