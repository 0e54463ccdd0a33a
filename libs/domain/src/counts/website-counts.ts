import { LINK_KIND } from '@ledgerline/contracts/read-models/event-kinds';
import { attributeNamed, LISTED_ATTRIBUTES, type ListedAttribute } from '@ledgerline/contracts/attributes';
import type { KeptCountName } from '@ledgerline/contracts/read-models/kept-counts';
import { durationRange, scrollRange } from '../sessions/session';
import type { Condition, Count, KeptCount, Key, Measure } from '../counting/count';
import { rangesOf } from '../counting/count-of';
import { COUNTED_SESSIONS, COUNTED_SESSIONS_WITH_EVENTS, STEPS } from '../counting/items';
import * as measure from '../counting/measures';
import {
  all,
  COUNT,
  filterBy,
  IN_SESSION,
  known,
  median,
  not,
  positive,
  SESSIONS,
  sum,
  VISITORS,
} from '../counting/measures';

/**
 * Everything that is counted of websites, once (docs/definitions.md says it in words): questions with filters count it
 * from columns of sessions, all others add up what the projector keeps of it by day.
 */

const PATH = { value: 'path' };

const kept: KeptCount[] = [];
/** All counts that are kept. */
export const KEPT_COUNTS: readonly KeptCount[] = kept;

/** A count that is kept under this name: what follows from it alone is answered from there. */
function declared<C extends Count>(name: KeptCountName, count: C, follows: readonly string[] = []): C & Kept {
  const own = { ...count, name, follows };
  kept.push(own);
  return { ...count, kept: own };
}
type Kept = { readonly kept: KeptCount };

export const VIEWS = declared('views', { of: 'views', measures: { pageviews: COUNT, visitors: VISITORS } });
export const CUSTOM_EVENTS = declared('custom_events', {
  of: 'custom_events',
  measures: { custom_events: COUNT, users: VISITORS, sessions: SESSIONS },
});
export const OUTGOING_LINKS = declared('outgoing_links', { of: 'outgoing_links', measures: { outgoing_links: COUNT } });

/** Sessions by their first page view. */
export const VISITS = declared('sessions', {
  of: COUNTED_SESSIONS,
  measures: { sessions: COUNT, bounces: sum('bounced'), visitors: VISITORS, median_ms: median('duration_ms') },
});
export const SESSION_EVENTS = declared('session_events', {
  of: COUNTED_SESSIONS_WITH_EVENTS,
  measures: { duration_ms: sum('duration_ms'), session_events: sum('events') },
});

const ofViews = { pageviews: COUNT, visitors: VISITORS };
const ofSessions = { sessions: COUNT, visitors: VISITORS };

export const PAGES = declared('pages', { of: 'views', by: PATH, measures: ofViews });
/** Sessions, as page views, by the page they entered on, and left from. */
export const ENTRIES = declared('entries', { of: COUNTED_SESSIONS, by: { value: 'entry_path' }, measures: ofViews });
export const EXITS = declared('exits', { of: COUNTED_SESSIONS, by: { value: 'exit_path' }, measures: ofViews });

const VIEWS_BY = Object.fromEntries(
  LISTED_ATTRIBUTES.map((attribute) => [
    attribute,
    declared(`views_by_${attribute}`, {
      of: 'views',
      by: { value: attribute },
      where: attributeNamed(attribute)?.isRare ? all(IN_SESSION, positive(attribute)) : IN_SESSION,
      measures: ofViews,
    }),
  ]),
) as unknown as Readonly<Record<ListedAttribute, Count & Kept & { readonly measures: typeof ofViews }>>; // an entry for each

/** Page views by an attribute of the session; `isKnown` = of those alone of which it is known. */
export const viewsBy = (attribute: ListedAttribute, isKnown = false) => ({
  ...VIEWS_BY[attribute],
  ...(isKnown && { only: positive(attribute) }),
});

const sessionsOf = (attribute: 'device_type' | 'browser_name') =>
  declared(`sessions_by_${attribute}`, {
    of: COUNTED_SESSIONS,
    by: { value: attribute },
    where: IN_SESSION,
    measures: { sessions: COUNT },
  });
export const SESSIONS_BY = {
  device_type: sessionsOf('device_type'),
  browser_name: sessionsOf('browser_name'),
} as const;

export const DURATIONS = declared('durations', {
  of: COUNTED_SESSIONS,
  by: { place: rangesOf('duration_ms', durationRange) },
  measures: ofSessions,
});

export const FLOW = declared('flow', {
  of: STEPS,
  by: { from: 'from_path', to: 'to_path' },
  measures: { transitions: COUNT, sessions: SESSIONS },
});

export const EVENT_NAMES = declared('event_names', {
  of: 'custom_events',
  by: { value: 'name' },
  measures: {
    total_events: COUNT,
    unique_users: VISITORS,
    unique_sessions: SESSIONS,
    first_occurrence: measure.least('at'),
    last_occurrence: measure.greatest('at'),
    events_with_properties: sum('has_properties'),
  },
});
export const EVENT_PAGES = declared('event_pages', {
  of: 'custom_events',
  by: PATH,
  measures: { total_events: COUNT, unique_users: VISITORS },
});
export const EVENT_NAMES_OF_PAGES = declared('event_names_of_pages', {
  of: 'custom_events',
  by: { ...PATH, text: 'name' },
  measures: { times: COUNT },
});

/** The domain of a link is looked up, as `value` and `domain` (text ids). */
export const DOMAIN_OF_LINK: Key = {
  of({ field, lookup }) {
    const domains = new Map(lookup.map((link) => [link['value'], Number(link['domain'])]));
    return Int32Array.from(field('href'), (href) => domains.get(href) ?? -1);
  },
};
/** Without downloads from the website's own domain. */
const OUTBOUND = { of: 'outgoing_links', where: not(measure.atLeast('link_kind', LINK_KIND.ownDownload)) } as const;
export const OUTBOUND_LINKS = declared(
  'outbound_links',
  {
    ...OUTBOUND,
    by: { value: 'href', domain: DOMAIN_OF_LINK },
    measures: {
      total_clicks: COUNT,
      unique_users: VISITORS,
      unique_sessions: SESSIONS,
      last_clicked: measure.greatest('at'),
      label: measure.latest('label', ['at', 'id_1', 'id_2', 'id_3', 'id_4']),
    },
  },
  ['domain'],
);

export const OUTBOUND_DOMAINS = declared('outbound_domains', {
  ...OUTBOUND,
  by: { value: DOMAIN_OF_LINK },
  measures: { total_clicks: COUNT, unique_users: VISITORS },
});

export const ERRORS = declared('errors', {
  of: 'errors',
  measures: { errors: COUNT, users: VISITORS, sessions: SESSIONS },
});
const errorsBy = (name: KeptCountName, field: string) =>
  declared(name, {
    of: 'errors',
    by: { value: field },
    measures: { count: COUNT, users: VISITORS, last_seen: measure.greatest('at') },
  });
export const ERROR_TYPES = errorsBy('error_types', 'error_type');
export const ERROR_MESSAGES = errorsBy('error_messages', 'message');
export const ERROR_PAGES = declared('error_pages', {
  of: 'errors',
  by: PATH,
  measures: { errors: COUNT, users: VISITORS },
});

/** At any time: the session counts by its first page view. */
const hasError: Condition = {
  of({ places, sessions }) {
    const { places: failed, isSelected } = sessions.unit('errors');
    const marks = new Uint8Array(sessions.size);
    for (let at = 0; at < failed.length; at++) if (isSelected[at] === 1) marks[failed[at] ?? 0] = 1;
    return Uint8Array.from(places, (place) => marks[place] ?? 0);
  },
};
export const FAILED_SESSIONS = declared('failed_sessions', {
  of: COUNTED_SESSIONS,
  measures: { sessions: COUNT, failed_sessions: filterBy(hasError, COUNT) },
});

const [isTimed, isScrolled, hasInteractions] = [known('time_ms'), known('scroll'), known('interactions')];

/** Of visits of pages. */
export const INTERACTIONS = declared('interactions', {
  of: 'visits',
  measures: {
    interactions: filterBy(hasInteractions, sum('interactions')),
    total_sessions: SESSIONS,
    interactive_sessions: filterBy(positive('interactions'), SESSIONS),
  },
});
export const TIME_ON_PAGES = declared('time_on_pages', {
  of: 'visits',
  by: PATH,
  where: isTimed,
  measures: { sessions_with_time: SESSIONS, visitors: VISITORS, median_ms: median('time_ms') },
});
const scrolling = { scroll: sum('scroll'), scrolled: COUNT, visitors: VISITORS };
export const SCROLLING = declared('scrolling', {
  of: 'visits',
  where: isScrolled,
  measures: { ...scrolling, total_sessions: SESSIONS },
});
export const SCROLL_RANGES = declared('scroll_ranges', {
  of: 'visits',
  by: { place: rangesOf('scroll', scrollRange) },
  where: isScrolled,
  measures: { sessions: SESSIONS, visitors: VISITORS },
});
export const SCROLLED_PAGES = declared('scrolled_pages', {
  of: 'visits',
  by: PATH,
  where: isScrolled,
  measures: { ...scrolling, sessions: SESSIONS },
});
export const VISITS_OF_PAGES = declared('visits_of_pages', {
  of: 'visits',
  by: PATH,
  measures: {
    time_ms: filterBy(isTimed, sum('time_ms')),
    timed: filterBy(isTimed, COUNT),
    scroll: filterBy(isScrolled, sum('scroll')),
    scrolled: filterBy(isScrolled, COUNT),
    interactions: filterBy(hasInteractions, sum('interactions')),
    interacted: filterBy(hasInteractions, COUNT),
  },
});

const [isStarted, isSubmitted] = [positive('form_fields'), positive('form_submits')];
const isActive = known('active_ms');
const isAttentive = all(isActive, isTimed);

/** Of engagement spans. */
export const FRUSTRATION = declared('frustration', {
  of: 'spans',
  by: PATH,
  measures: { rage_clicks: sum('rage_clicks'), dead_clicks: sum('dead_clicks') },
});
export const FORMS = declared('forms', {
  of: 'spans',
  by: PATH,
  measures: { form_starts: filterBy(isStarted, COUNT), form_submits: filterBy(isSubmitted, COUNT) },
});
export const ATTENTION = declared('attention', {
  of: 'spans',
  by: PATH,
  measures: {
    active_ms: filterBy(isActive, sum('active_ms')),
    active: filterBy(isActive, COUNT),
    attentive_ms: filterBy(isAttentive, sum('active_ms')),
    attended_ms: filterBy(isAttentive, sum('time_ms')),
    first_interaction_ms: filterBy(known('first_interaction_ms'), median('first_interaction_ms')),
  },
});
/** Texts of spans by page: those that come most often are shown beside it. */
const textsOfSpans = (name: KeptCountName, text: string, times: Measure, ...conditions: readonly Condition[]) =>
  declared(name, {
    of: 'spans',
    by: { ...PATH, text },
    where: all(positive(text), ...conditions),
    measures: { times },
  });
export const RAGE_TARGETS = textsOfSpans('rage_targets', 'rage_target', sum('rage_clicks'), positive('rage_clicks'));
export const DEAD_TARGETS = textsOfSpans('dead_targets', 'dead_target', sum('dead_clicks'), positive('dead_clicks'));
export const ABANDONED_FIELDS = textsOfSpans('abandoned_fields', 'last_field', COUNT, isStarted, not(isSubmitted));

const ofMetric = { samples: COUNT, micros: sum('micros'), median: median('micros') };
export const VITALS = declared('vitals', { of: 'vitals', by: { metric: 'metric' }, measures: ofMetric });
export const VITALS_OF_PAGES = declared('vitals_of_pages', {
  of: 'vitals',
  by: { ...PATH, metric: 'metric' },
  measures: ofMetric,
});
