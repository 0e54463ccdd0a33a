import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { attributeOf, COUNTRY_NAMES, REFERRERS } from './naive-attributes';
import { dateOf, distinct, type NaiveRequest } from './naive-request';
import { hitPasses, select, visitPasses } from './naive-selection';
import { sessionRow, surroundings } from './naive-session-answers';
import { inOrder, naiveSessions, type NaiveSession } from './naive-sessions';
import { sorted, type Row } from './naive-website-answers';

type Answer = (events: readonly WebsiteObservedEvent[], request: NaiveRequest) => Row[];

const MINUTE = 60_000;

/** Returns the latest time of browsers whose clocks are ahead by less than a minute. */
const latest = ({ now }: NaiveRequest): number => now + MINUTE;

/** Returns the begin of five minutes to the millisecond, or of so many by the clock, the present one included. */
const sinceOf = ({ now, minutes }: NaiveRequest): number =>
  minutes === undefined ? now - 5 * MINUTE : Math.floor(now / MINUTE) * MINUTE - (minutes - 1) * MINUTE;

interface Happened {
  readonly event: WebsiteObservedEvent;
  readonly session: NaiveSession | undefined;
}

/** Page views, custom events and outgoing links since a moment that pass every filter, in order. */
function happenedSince(since: number, events: readonly WebsiteObservedEvent[], request: NaiveRequest): Happened[] {
  const sessions = naiveSessions(events);
  return events
    .filter(({ type }) => ['PageViewed', 'CustomEventTracked', 'OutgoingLinkClicked'].includes(type))
    .filter(({ at }) => at >= since && at <= latest(request))
    .sort(inOrder)
    .map((event) => ({ event, session: sessions.find((session) => session.events.includes(event)) }))
    .filter(({ event, session }) => visitPasses(session, request) && hitPasses(event, request, session));
}

const isView = ({ event }: Happened) => event.type === 'PageViewed';
const visitorsOf = (views: readonly Happened[]) => distinct(views.map(({ event }) => event.data.visitorId));

/** Page views of the last five minutes by a name; those without one are left out. */
const recentViewsBy =
  (nameOf: (happened: Happened) => string | undefined): Answer =>
  (events, request) => {
    const views = happenedSince(sinceOf(request), events, request).filter(isView);
    const names = new Set(views.map(nameOf).filter((name) => name !== undefined));
    const rows = [...names].map((name) => {
      const named = views.filter((view) => nameOf(view) === name);
      return { name, pageviews: named.length, visitors: visitorsOf(named) };
    });
    return sorted(rows, ['visitors', 'pageviews']);
  };

const attribute = (session: NaiveSession | undefined, field: string) =>
  session?.first === undefined ? undefined : attributeOf(session.first, field);

function sourceName(domain: string | undefined): string | undefined {
  if (domain === undefined || domain === '') return domain === '' ? 'Direct' : undefined;
  return Object.values(REFERRERS).find((source) => source.domain === domain)?.name ?? domain;
}

const countryName = (code: string | undefined) => (code === '' ? 'Unknown' : code && COUNTRY_NAMES[code]);

const EVENT_NAMES: Readonly<Record<string, string>> = {
  PageViewed: 'screen_view',
  OutgoingLinkClicked: 'outgoing_link',
};

/** Sessions with a hit in the last minutes that passes, page views or not. */
function activeSessions(events: readonly WebsiteObservedEvent[], request: NaiveRequest): NaiveSession[] {
  const isRecent = ({ at }: WebsiteObservedEvent) => at >= sinceOf(request) && at <= latest(request);
  return naiveSessions(events)
    .filter((session) => visitPasses(session, request))
    .filter((session) => session.events.some((event) => isRecent(event) && hitPasses(event, request, session)));
}

const isCounted = (session: NaiveSession, request: NaiveRequest): boolean =>
  session.views.some((view) => hitPasses(view, request, session));

/** Questions about now, whatever dates the request names. */
export const nowAnswers: Readonly<Record<string, Answer>> = {
  today_metrics: (events, request) => {
    const today = dateOf(request.now, request.timezone);
    const { from: _from, to: _to, ...others } = request;
    const { views, sessions } = select(events, { ...others, startDate: today, endDate: today });
    return [
      {
        pageviews: views.length,
        visitors: distinct(views.map(({ event }) => event.data.visitorId)),
        sessions: sessions.length,
      },
    ];
  },
  active_stats: (events, request) => {
    const active = activeSessions(events, request);
    return [
      {
        active_users: distinct(active.map(({ visitor }) => visitor)),
        active_sessions: active.filter((session) => isCounted(session, request)).length,
      },
    ];
  },
  realtime_sessions: (events, request) =>
    activeSessions(events, request)
      .filter((session) => isCounted(session, request))
      .sort((a, b) => b.events.at(-1)!.at - a.events.at(-1)!.at || (a.id < b.id ? -1 : 1))
      .map((session) => {
        const { session_id, visitor_id, first_visit, last_visit, page_views } = sessionRow(session);
        const { country, referrer, device_type, browser_name } = surroundings(session);
        const entry_path = session.views[0]!.data.path;
        const exit_path = session.views.at(-1)!.data.path;
        const shown = { session_id, visitor_id, first_visit, last_visit, page_views, entry_path, exit_path };
        return { ...shown, country, referrer, device_type, browser_name };
      }),
  realtime_pages: recentViewsBy(({ event }) => event.data.path ?? undefined),
  realtime_referrers: recentViewsBy(({ session }) => sourceName(attribute(session, 'referrer'))),
  realtime_countries: recentViewsBy(({ session }) => countryName(attribute(session, 'country'))),
  realtime_feed: (events, request) =>
    happenedSince(sinceOf(request), events, request)
      .reverse()
      .map(({ event, session }) => ({
        timestamp: new Date(event.at).toISOString(),
        event_name: event.type === 'CustomEventTracked' ? event.data.name : EVENT_NAMES[event.type],
        path: event.data.path,
        country: countryName(attribute(session, 'country')) ?? 'Unknown',
        browser_name: attribute(session, 'browser_name') || 'Unknown',
      })),
  realtime_velocity: (events, request) => {
    const { minutes = 60 } = request;
    const first = sinceOf({ ...request, minutes });
    return Array.from({ length: minutes }, (_, at) => {
      const from = first + at * MINUTE;
      const isPresent = at === minutes - 1;
      const happened = happenedSince(from, events, request).filter(
        ({ event }) => isPresent || event.at < from + MINUTE,
      );
      const views = happened.filter(isView);
      return {
        minute: new Date(from).toISOString(),
        pageviews: views.length,
        events: happened.length,
        visitors: visitorsOf(views),
      };
    });
  },
};
