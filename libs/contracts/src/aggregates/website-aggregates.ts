import { attributeNamed, LINK_KIND, LISTED_ATTRIBUTES, type ListedAttribute } from '../attributes';
import { RANGE_STARTS, SCROLL_RANGE_STARTS } from '../read-models/session-days';
import {
  type Aggregate,
  type AggregateCondition,
  type Measure,
  known,
  positive,
  rollupOf,
  type Rollup,
} from './aggregate';

const PATH = { value: 'path' };
const ofViews = { pageviews: 'count', visitors: 'visitors' } as const;
const ofSessions = { sessions: 'count', visitors: 'visitors' } as const;
const times = { times: 'count' } as const;

/** Downloads from the website's own domain are left out. */
const OUTBOUND = { of: 'outgoing_links', where: { not: { atLeast: ['link_kind', LINK_KIND.ownDownload] } } } as const;

const clicksOfLinks = {
  total_clicks: 'count',
  unique_users: 'visitors',
  unique_sessions: 'sessions',
  last_clicked: { greatest: 'at' },
  label: { latest: ['label', ['at', 'id_1', 'id_2', 'id_3', 'id_4']] },
} as const;

const isTimed = known('time_ms');
const isScrolled = known('scroll');
const hasInteractions = known('interactions');
const scrolling = { scroll: { sum: 'scroll' }, scrolled: 'count', visitors: 'visitors' } as const;

const isStarted = positive('form_fields');
const isSubmitted = positive('form_submits');
const isActive = known('active_ms');
const isAttentive: AggregateCondition = { all: [isActive, isTimed] };

const sampled = { samples: 'count', micros: { sum: 'micros' }, median: { percentile: ['micros', 50] } } as const;

const errorsBy = (field: string) =>
  ({
    of: 'errors',
    by: { value: field },
    measures: { count: 'count', users: 'visitors', last_seen: { greatest: 'at' } },
  }) as const;

/** Texts of spans by page: those that come most often are shown beside it. */
const textsOfSpans = <Times extends Measure>(
  text: string,
  measure: Times,
  ...conditions: readonly AggregateCondition[]
) =>
  ({
    of: 'spans',
    by: { ...PATH, text },
    where: { all: [positive(text), ...conditions] },
    measures: { times: measure },
  }) as const;

const viewsOf = (attribute: ListedAttribute) => {
  const isWanted: AggregateCondition = attributeNamed(attribute)?.isRare
    ? { all: ['inSession', positive(attribute)] }
    : 'inSession';
  return { of: 'views', by: { value: attribute }, where: isWanted, measures: ofViews } as const;
};

const sessionsOf = (attribute: ListedAttribute) =>
  ({
    of: 'counted_sessions',
    by: { value: attribute },
    where: 'inSession',
    measures: { sessions: 'count' },
  }) as const;

const VIEWS_BY = Object.fromEntries(LISTED_ATTRIBUTES.map((name) => [`views_by_${name}`, viewsOf(name)])) as Readonly<
  Record<`views_by_${ListedAttribute}`, ReturnType<typeof viewsOf>>
>; // an entry for each

const DECLARED = {
  views: { of: 'views', measures: ofViews },
  custom_events: {
    of: 'custom_events',
    measures: { custom_events: 'count', users: 'visitors', sessions: 'sessions' },
  },
  outgoing_links: { of: 'outgoing_links', measures: { outgoing_links: 'count' } },

  /** Sessions by their first page view. */
  sessions: {
    of: 'counted_sessions',
    measures: {
      sessions: 'count',
      bounces: { sum: 'bounced' },
      visitors: 'visitors',
      median_ms: { percentile: ['duration_ms', 50] },
    },
  },
  session_events: {
    of: 'sessions_with_events',
    measures: { duration_ms: { sum: 'duration_ms' }, session_events: { sum: 'events' } },
  },

  pages: { of: 'views', by: PATH, measures: ofViews },
  /** Sessions, as page views, by the page they entered on, and left from. */
  entries: { of: 'counted_sessions', by: { value: 'entry_path' }, measures: ofViews },
  exits: { of: 'counted_sessions', by: { value: 'exit_path' }, measures: ofViews },
  durations: {
    of: 'counted_sessions',
    by: { place: { range: ['duration_ms', RANGE_STARTS] } },
    measures: ofSessions,
  },
  flow: {
    of: 'steps',
    by: { from: 'from_path', to: 'to_path' },
    measures: { transitions: 'count', sessions: 'sessions' },
  },
  ...VIEWS_BY,
  sessions_by_device_type: sessionsOf('device_type'),
  sessions_by_browser_name: sessionsOf('browser_name'),

  event_names: {
    of: 'custom_events',
    by: { value: 'name' },
    measures: {
      total_events: 'count',
      unique_users: 'visitors',
      unique_sessions: 'sessions',
      first_occurrence: { least: 'at' },
      last_occurrence: { greatest: 'at' },
      events_with_properties: { sum: 'has_properties' },
    },
  },
  event_pages: { of: 'custom_events', by: PATH, measures: { total_events: 'count', unique_users: 'visitors' } },
  event_names_of_pages: { of: 'custom_events', by: { ...PATH, text: 'name' }, measures: times },

  outbound_links: {
    ...OUTBOUND,
    by: { value: 'href', domain: { linkDomain: 'href' } },
    measures: clicksOfLinks,
  },
  outbound_domains: {
    ...OUTBOUND,
    by: { value: { linkDomain: 'href' } },
    measures: { total_clicks: 'count', unique_users: 'visitors' },
  },
  /** With those from the website's own domain. */
  downloads: {
    of: 'outgoing_links',
    by: { value: 'href' },
    where: { atLeast: ['link_kind', LINK_KIND.download] },
    measures: clicksOfLinks,
  },

  errors: { of: 'errors', measures: { errors: 'count', users: 'visitors', sessions: 'sessions' } },
  error_types: errorsBy('error_type'),
  error_messages: errorsBy('message'),
  error_pages: { of: 'errors', by: PATH, measures: { errors: 'count', users: 'visitors' } },
  failed_sessions: {
    of: 'counted_sessions',
    measures: { sessions: 'count', failed_sessions: { filter: ['hasError', 'count'] } },
  },

  interactions: {
    of: 'visits',
    measures: {
      interactions: { filter: [hasInteractions, { sum: 'interactions' }] },
      total_sessions: 'sessions',
      interactive_sessions: { filter: [positive('interactions'), 'sessions'] },
    },
  },
  time_on_pages: {
    of: 'visits',
    by: PATH,
    where: isTimed,
    measures: { sessions_with_time: 'sessions', visitors: 'visitors', median_ms: { percentile: ['time_ms', 50] } },
  },
  scrolling: { of: 'visits', where: isScrolled, measures: { ...scrolling, total_sessions: 'sessions' } },
  scroll_ranges: {
    of: 'visits',
    by: { place: { range: ['scroll', SCROLL_RANGE_STARTS] } },
    where: isScrolled,
    measures: { sessions: 'sessions', visitors: 'visitors' },
  },
  scrolled_pages: { of: 'visits', by: PATH, where: isScrolled, measures: { ...scrolling, sessions: 'sessions' } },
  visits_of_pages: {
    of: 'visits',
    by: PATH,
    measures: {
      time_ms: { filter: [isTimed, { sum: 'time_ms' }] },
      timed: { filter: [isTimed, 'count'] },
      scroll: { filter: [isScrolled, { sum: 'scroll' }] },
      scrolled: { filter: [isScrolled, 'count'] },
      interactions: { filter: [hasInteractions, { sum: 'interactions' }] },
      interacted: { filter: [hasInteractions, 'count'] },
    },
  },

  frustration: {
    of: 'spans',
    by: PATH,
    measures: { rage_clicks: { sum: 'rage_clicks' }, dead_clicks: { sum: 'dead_clicks' } },
  },
  forms: {
    of: 'spans',
    by: PATH,
    measures: { form_starts: { filter: [isStarted, 'count'] }, form_submits: { filter: [isSubmitted, 'count'] } },
  },
  attention: {
    of: 'spans',
    by: PATH,
    measures: {
      active_ms: { filter: [isActive, { sum: 'active_ms' }] },
      active: { filter: [isActive, 'count'] },
      attentive_ms: { filter: [isAttentive, { sum: 'active_ms' }] },
      attended_ms: { filter: [isAttentive, { sum: 'time_ms' }] },
      first_interaction_ms: { filter: [known('first_interaction_ms'), { percentile: ['first_interaction_ms', 50] }] },
    },
  },
  rage_targets: textsOfSpans('rage_target', { sum: 'rage_clicks' }, positive('rage_clicks')),
  dead_targets: textsOfSpans('dead_target', { sum: 'dead_clicks' }, positive('dead_clicks')),
  abandoned_fields: textsOfSpans('last_field', 'count', isStarted, { not: isSubmitted }),

  vitals: { of: 'vitals', by: { metric: 'metric' }, measures: sampled },
  vitals_of_pages: { of: 'vitals', by: { ...PATH, metric: 'metric' }, measures: sampled },
} as const satisfies Readonly<Record<string, Aggregate>>;

export type RollupName = keyof typeof DECLARED;

/**
 * Every aggregate of websites that is stored by day, once (docs/definitions.md says it in words). Query types show them, or
 * others that follow from them; with filters all are evaluated over columns of sessions.
 */
export const AGGREGATES = Object.fromEntries(
  Object.entries(DECLARED).map(([rollup, declared]) => [rollup, { ...declared, rollup }]),
) as { readonly [Name in RollupName]: (typeof DECLARED)[Name] & { readonly rollup: Name } };

/** Page views by an attribute of the session; `isKnown` = of those alone of which it is known. */
export const viewsBy = (attribute: ListedAttribute, isKnown = false) => ({
  ...AGGREGATES[`views_by_${attribute}`],
  ...(isKnown && { only: positive(attribute) }),
});

const BY_NAME: ReadonlyMap<string, Rollup> = new Map(
  Object.entries(DECLARED).map(([name, declared]) => [name, rollupOf(name, declared)]),
);

/** The aggregates as they are stored, each in a column of its own. */
export const ROLLUPS: readonly Rollup[] = [...BY_NAME.values()];

/** @throws RangeError of an aggregate that is not stored */
export function rollupNamed(name: string): Rollup {
  const found = BY_NAME.get(name);
  if (!found) throw new RangeError(`No aggregate ${name} is stored.`);
  return found;
}
