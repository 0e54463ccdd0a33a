import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { attributeOf, COUNTRY_NAMES, REFERRERS } from './naive-attributes';
import type { NaiveRequest } from './naive-request';
import { hitPasses, pagePasses, visitPasses, type Selection } from './naive-selection';
import { inOrder, naiveSessions, type NaiveSession } from './naive-sessions';
import { byCodePoints, type Row } from './naive-website-answers';

type Answer = (selection: Selection, request: NaiveRequest, events: readonly WebsiteObservedEvent[]) => Row[];

const iso = (at: number) => new Date(at).toISOString();

/** Single sessions, and what happens inside them. */
export const sessionAnswers: Readonly<Record<string, Answer>> = {
  session_list: ({ sessions }) => [...sessions].sort(newestFirst).map(sessionRow),
  profile_sessions: ({ sessions }) => [...sessions].sort(newestFirst).map(sessionRow),
  profile_list: ({ sessions }) => profilesOf(sessions, () => ({})),
  profile_detail: ({ sessions }) =>
    profilesOf(sessions, (own) => ({
      total_duration: own.reduce((total, { duration }) => total + duration, 0) / 1000,
    })),
  session_flow: ({ sessions }, request) => {
    const steps = sessions.flatMap((session) =>
      session.views.slice(1).flatMap((to, at) => {
        const from = session.views[at]!;
        const isSelected = [from, to].some((view) => hitPasses(view, request, session));
        return isSelected ? [{ session, from, to }] : [];
      }),
    );
    const nameOf = ({ from, to }: (typeof steps)[number]) => `${from.data.path} ${to.data.path}`;
    return [...new Set(steps.map(nameOf))]
      .map((name) => {
        const same = steps.filter((step) => nameOf(step) === name);
        const { from, to } = same[0]!;
        const sessionsWith = new Set(same.map(({ session }) => session)).size;
        return {
          from_path: from.data.path,
          to_path: to.data.path,
          transitions: same.length,
          sessions: sessionsWith,
        };
      })
      .sort(
        (a, b) =>
          b.transitions - a.transitions ||
          b.sessions - a.sessions ||
          byCodePoints(a, b, 'from_path') ||
          byCodePoints(a, b, 'to_path'),
      );
  },
  session_events: (_, request, events) =>
    naiveSessions(events)
      .filter((session) => visitPasses(session, request))
      .flatMap((session) => session.events.map((event) => ({ session, event })))
      .filter(({ event, session }) => pagePasses(event, request, session))
      .sort((a, b) => inOrder(a.event, b.event))
      .map(({ session, event }) => {
        const { id, ...shown } = eventRow(event);
        return { session_id: session.id, visitor_id: session.visitor, event_id: id, ...shown };
      }),
};

/** One row per visitor, by the newest session of each; nobody is identified. */
function profilesOf(sessions: readonly NaiveSession[], more: (own: readonly NaiveSession[]) => Row): Row[] {
  const visitors = [...new Set(sessions.map(({ visitor }) => visitor))].filter((visitor) => visitor !== null).sort();
  return visitors
    .map((visitor) => sessions.filter((session) => session.visitor === visitor).sort(newestFirst))
    .sort(([a], [b]) => b!.events[0]!.at - a!.events[0]!.at)
    .map((own) => {
      const events = own.flatMap((session) => session.events);
      const custom = events.filter(({ type }) => type === 'CustomEventTracked').length;
      const views = own.flatMap((session) => session.views);
      return {
        visitor_id: own[0]!.visitor,
        profile_id: null,
        display_name: null,
        first_visit: iso(Math.min(...events.map(({ at }) => at))),
        last_visit: iso(Math.max(...events.map(({ at }) => at))),
        session_count: own.length,
        total_events: views.length + custom + events.filter(({ type }) => type === 'OutgoingLinkClicked').length,
        unique_pages: new Set(views.map(({ data }) => data.path)).size,
        ...surroundings(own[0]!),
        region: attributeOf(own[0]!.first!, 'region') || 'Unknown',
        custom_event_count: custom,
        ...more(own),
      };
    });
}

const newestFirst = (a: NaiveSession, b: NaiveSession): number =>
  b.events[0]!.at - a.events[0]!.at || (a.id < b.id ? -1 : 1);

/** A session as lists of sessions have it. */
export const sessionRow = (session: NaiveSession): Row => ({
  session_id: session.id,
  visitor_id: session.visitor,
  first_visit: iso(session.events[0]!.at),
  last_visit: iso(session.events.at(-1)!.at),
  duration: session.duration / 1000,
  page_views: session.views.length,
  ...surroundings(session),
  events: session.events.map(eventRow),
});

/** Returns what the first page view says about who came. */
export function surroundings({ first }: NaiveSession): Row {
  const known = (field: string) => attributeOf(first!, field) || 'Unknown';
  const domain = attributeOf(first!, 'referrer');
  const source = Object.values(REFERRERS).find((each) => each.domain === domain);
  return {
    country: COUNTRY_NAMES[attributeOf(first!, 'country')] ?? 'Unknown',
    referrer: domain === '' ? 'Direct' : (source?.name ?? domain),
    device_type: known('device_type'),
    browser_name: known('browser_name'),
    os_name: known('os_name'),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  PageViewed: 'screen_view',
  PageLeft: 'page_exit',
  OutgoingLinkClicked: 'outgoing_link',
  ErrorRecorded: 'error',
  VitalMeasured: 'web_vital',
  EngagementMeasured: 'engagement',
};

function eventRow(event: WebsiteObservedEvent): Row & { id: string } {
  const name = event.type === 'CustomEventTracked' ? event.data.name : NAMES[event.type];
  return {
    id: event.id,
    time: iso(event.at),
    event_name: name,
    path: event.data.path,
    properties: propertiesOf(event),
  };
}

function propertiesOf({ type, data }: WebsiteObservedEvent): object {
  switch (type) {
    case 'CustomEventTracked':
      return data.properties ?? {};
    case 'OutgoingLinkClicked':
      return { href: data.href };
    case 'ErrorRecorded':
      return { message: data.message };
    case 'VitalMeasured':
      return { metric: data.metric, value: Math.round(data.value * 1e6) / 1e6 };
    case 'PageViewed':
    case 'PageLeft':
    case 'EngagementMeasured':
      return {};
  }
}
