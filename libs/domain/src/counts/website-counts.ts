import type { Attribute } from '../sessions/session';
import { durationRange } from '../sessions/duration-ranges';
import { scrollRange } from '../sessions/scroll-ranges';
import { rangesOf, type Count, type Key } from '../counting/count-of';
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
  type Condition,
} from '../counting/measures';

/**
 * Everything that is counted of websites, once (docs/definitions.md says it in words): questions with filters count it
 * from columns of sessions, all others add up what the projector keeps of it by day.
 */

const PATH = { value: 'path' };

/** A count of this type. */
const declared = <C extends Count>(count: C): C => count;

export const VIEWS = declared({ of: 'views', measures: { pageviews: COUNT, visitors: VISITORS } });
export const CUSTOM_EVENTS = declared({
  of: 'custom_events',
  measures: { custom_events: COUNT, users: VISITORS, sessions: SESSIONS },
});
export const OUTGOING_LINKS = declared({ of: 'outgoing_links', measures: { outgoing_links: COUNT } });

/** Sessions by their first page view. */
export const VISITS = declared({
  of: COUNTED_SESSIONS,
  measures: { sessions: COUNT, bounces: sum('bounced'), visitors: VISITORS, median_ms: median('duration_ms') },
});
export const SESSION_EVENTS = declared({
  of: COUNTED_SESSIONS_WITH_EVENTS,
  measures: { duration_ms: sum('duration_ms'), session_events: sum('events') },
});

const ofViews = { pageviews: COUNT, visitors: VISITORS };
const ofSessions = { sessions: COUNT, visitors: VISITORS };

export const PAGES = declared({ of: 'views', by: PATH, measures: ofViews });
/** Sessions, as page views, by the page they entered on, and left from. */
export const ENTRIES = declared({ of: COUNTED_SESSIONS, by: { value: 'entry_path' }, measures: ofViews });
export const EXITS = declared({ of: COUNTED_SESSIONS, by: { value: 'exit_path' }, measures: ofViews });

/** Attributes that most sessions do not have: what is kept by them is kept of sessions that do. */
const OPTIONAL: ReadonlySet<Attribute> = new Set([
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
]);
const isOf = (attribute: Attribute, isKnown = OPTIONAL.has(attribute)): Condition =>
  isKnown ? all(IN_SESSION, positive(attribute)) : IN_SESSION;

/** Page views by an attribute of the session; `isKnown` = of those alone of which it is known. */
export const viewsBy = (attribute: Attribute, isKnown?: boolean) =>
  declared({ of: 'views', by: { value: attribute }, where: isOf(attribute, isKnown), measures: ofViews });
export const sessionsBy = (attribute: Attribute) =>
  declared({ of: COUNTED_SESSIONS, by: { value: attribute }, where: isOf(attribute), measures: { sessions: COUNT } });

export const DURATIONS = declared({
  of: COUNTED_SESSIONS,
  by: { place: rangesOf('duration_ms', durationRange) },
  measures: ofSessions,
});

export const FLOW = declared({
  of: STEPS,
  by: { from: 'from_path', to: 'to_path' },
  measures: { transitions: COUNT, sessions: SESSIONS },
});

export const EVENT_NAMES = declared({
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
export const EVENT_PAGES = declared({
  of: 'custom_events',
  by: PATH,
  measures: { total_events: COUNT, unique_users: VISITORS },
});
export const EVENT_NAMES_OF_PAGES = declared({
  of: 'custom_events',
  by: { ...PATH, text: 'name' },
  measures: { times: COUNT },
});

export const OUTBOUND_LINKS = declared({
  of: 'outgoing_links',
  by: { value: 'href' },
  measures: {
    total_clicks: COUNT,
    unique_users: VISITORS,
    unique_sessions: SESSIONS,
    last_clicked: measure.greatest('at'),
    label: measure.latest('label', ['at', 'id_1', 'id_2', 'id_3', 'id_4']),
  },
});

/** The domain of a link is looked up, as `value` and `domain` (text ids). */
export const DOMAIN_OF_LINK: Key = {
  of({ field, lookup }) {
    const domains = new Map(lookup.map((link) => [link['value'], Number(link['domain'])]));
    return Int32Array.from(field('href'), (href) => domains.get(href) ?? -1);
  },
};
export const OUTBOUND_DOMAINS = declared({
  of: 'outgoing_links',
  by: { value: DOMAIN_OF_LINK },
  measures: { total_clicks: COUNT, unique_users: VISITORS },
});

export const ERRORS = declared({ of: 'errors', measures: { errors: COUNT, users: VISITORS, sessions: SESSIONS } });
const errorsBy = (field: string) =>
  declared({
    of: 'errors',
    by: { value: field },
    measures: { count: COUNT, users: VISITORS, last_seen: measure.greatest('at') },
  });
export const ERROR_TYPES = errorsBy('error_type');
export const ERROR_MESSAGES = errorsBy('message');
export const ERROR_PAGES = declared({ of: 'errors', by: PATH, measures: { errors: COUNT, users: VISITORS } });

/** At any time: the session counts by its first page view. */
const hasError: Condition = {
  of({ places, sessions }) {
    const { places: failed, isSelected } = sessions.unit('errors');
    const marks = new Uint8Array(sessions.size);
    for (let at = 0; at < failed.length; at++) if (isSelected[at] === 1) marks[failed[at] ?? 0] = 1;
    return Uint8Array.from(places, (place) => marks[place] ?? 0);
  },
};
export const FAILED_SESSIONS = declared({
  of: COUNTED_SESSIONS,
  measures: { sessions: COUNT, failed_sessions: filterBy(hasError, COUNT) },
});

const [isTimed, isScrolled, hasInteractions] = [known('time_ms'), known('scroll'), known('interactions')];

/** Of visits of pages. */
export const INTERACTIONS = declared({
  of: 'visits',
  measures: {
    interactions: filterBy(hasInteractions, sum('interactions')),
    total_sessions: SESSIONS,
    interactive_sessions: filterBy(positive('interactions'), SESSIONS),
  },
});
export const TIME_ON_PAGES = declared({
  of: 'visits',
  by: PATH,
  where: isTimed,
  measures: { sessions_with_time: SESSIONS, visitors: VISITORS, median_ms: median('time_ms') },
});
const scrolling = { scroll: sum('scroll'), scrolled: COUNT, visitors: VISITORS };
export const SCROLLING = declared({
  of: 'visits',
  where: isScrolled,
  measures: { ...scrolling, total_sessions: SESSIONS },
});
export const SCROLL_RANGES = declared({
  of: 'visits',
  by: { place: rangesOf('scroll', scrollRange) },
  where: isScrolled,
  measures: { sessions: SESSIONS, visitors: VISITORS },
});
export const SCROLLED_PAGES = declared({
  of: 'visits',
  by: PATH,
  where: isScrolled,
  measures: { ...scrolling, sessions: SESSIONS },
});
export const VISITS_OF_PAGES = declared({
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
export const FRUSTRATION = declared({
  of: 'spans',
  by: PATH,
  measures: { rage_clicks: sum('rage_clicks'), dead_clicks: sum('dead_clicks') },
});
export const FORMS = declared({
  of: 'spans',
  by: PATH,
  measures: { form_starts: filterBy(isStarted, COUNT), form_submits: filterBy(isSubmitted, COUNT) },
});
export const ATTENTION = declared({
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
const textsOfSpans = (text: string, times: measure.Measure, ...conditions: readonly Condition[]) =>
  declared({
    of: 'spans',
    by: { ...PATH, text },
    where: all(positive(text), ...conditions),
    measures: { times },
  });
export const RAGE_TARGETS = textsOfSpans('rage_target', sum('rage_clicks'), positive('rage_clicks'));
export const DEAD_TARGETS = textsOfSpans('dead_target', sum('dead_clicks'), positive('dead_clicks'));
export const ABANDONED_FIELDS = textsOfSpans('last_field', COUNT, isStarted, not(isSubmitted));

const ofMetric = { samples: COUNT, micros: sum('micros'), median: median('micros') };
export const VITALS = declared({ of: 'vitals', by: { metric: 'metric' }, measures: ofMetric });
export const VITALS_OF_PAGES = declared({ of: 'vitals', by: { ...PATH, metric: 'metric' }, measures: ofMetric });
