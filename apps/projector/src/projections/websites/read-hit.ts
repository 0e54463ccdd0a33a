import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, PageViewed, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { channelOf, sourceOfVisit } from '@ledgerline/domain/referrers/source-of';
import { singleEventId, type Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf, type Calendar } from '@ledgerline/domain/time/zones';
import { type Attributes, type SessionHit, browserVersionText, placeText } from '@ledgerline/domain/sessions/session';
import { packReport } from '@ledgerline/domain/sessions/local-session';
import type { Intern, StringInterner } from './dictionary';
import { factsOf, reportIn, wholeMilliseconds, type FactColumns } from './event-facts.projections';
import { actorKeyOf, type ActorKey } from './session-rows';

/** A hit with the text id of its website. */
export interface ReadHit {
  readonly website: number;
  readonly arrival: Arrival;
  /** What its fact table holds of it, if its type has one. */
  readonly columns: FactColumns | undefined;
}

type Part = Pick<SessionHit, 'kind' | 'path' | 'text' | 'extra'>;

/** What each type of event is inside a session; having an entry is the subscription. */
const PARTS: {
  readonly [Type in WebsiteObservedEvent['type']]: (
    event: Extract<WebsiteObservedEvent, { type: Type }>,
    id: Intern,
  ) => Part;
} = {
  PageViewed: ({ data }, id) => ({ kind: HIT.view, path: id(data.path), text: id(data.query), extra: id(data.host) }),
  PageLeft: ({ data }, id) => ({
    kind: HIT.leave,
    path: id(data.path),
    text: packReport(data),
    extra: milliseconds(data.timeOnPage),
  }),
  CustomEventTracked: ({ data }, id) => ({
    kind: HIT.custom,
    path: id(data.path),
    text: id(data.name),
    extra: data.properties && Object.keys(data.properties).length > 0 ? 1 : 0,
  }),
  OutgoingLinkClicked: ({ data }, id) => ({
    kind: data.linkKind === 'link' ? HIT.outgoing : data.own ? HIT.ownDownload : HIT.download,
    path: id(data.path),
    text: id(data.href),
    extra: id(data.text),
  }),
  ErrorRecorded: ({ data }, id) => ({
    kind: HIT.error,
    path: id(data.path),
    text: id(data.message),
    extra: id(data.errorType),
  }),
  VitalMeasured: ({ data }, id) => ({ kind: HIT.vital, path: id(data.path), text: id(data.metric), extra: 0 }),
  EngagementMeasured: (event, id) => ({
    kind: HIT.engagement,
    path: id(event.data.path),
    text: packReport(reportIn(event)),
    extra: milliseconds(event.data.timeOnPage),
  }),
};

/** What an event is inside a session; the entry of a type takes the events of that type, which the compiler cannot infer. */
export const partOf = (event: WebsiteEvent, id: Intern): Part =>
  (PARTS[event.type] as (event: WebsiteEvent, id: Intern) => Part)(event, id);

export const HIT_TYPES = Object.keys(PARTS) as readonly WebsiteObservedEvent['type'][];

export type WebsiteEvent = WebsiteObservedEvent & { readonly data: { readonly websiteId: string } };

/** True for what belongs to a website; an event of the whole organization does not. */
export const isWebsiteEvent = (event: ObservedEvent): event is WebsiteEvent =>
  event.type in PARTS && (event as WebsiteObservedEvent).data.websiteId !== null;

export function readHit(event: WebsiteEvent, strings: StringInterner): ReadHit {
  const website = strings.website(event.data.websiteId);
  const id: Intern = (text) => strings.intern(website, text);
  const { kind, path, text, extra } = partOf(event, id);
  const arrival = {
    hit: { at: event.at, id: decodeEventId(event.id).toString('hex'), kind, path, text, extra },
    session: event.data.sessionId,
    attributes: event.type === 'PageViewed' ? attributesOf(event, id) : undefined,
  };
  return { website, arrival, columns: factsOf(event.type)?.columnsOf(event, id) };
}

/** What a session has of its first page view. */
export function attributesOf({ data }: PageViewed, id: Intern): Attributes {
  const { country, region, city, browser, utm } = data;
  return {
    referrer: id(sourceOfVisit(data).domain),
    channel: id(channelOf(data)),
    utm_source: id(utm?.source),
    utm_medium: id(utm?.medium),
    utm_campaign: id(utm?.campaign),
    utm_term: id(utm?.term),
    utm_content: id(utm?.content),
    country: id(country),
    region: id(placeText(country, region)),
    city: id(placeText(country, city)),
    language: id(data.language),
    timezone: id(data.timezone),
    device_type: id(data.device),
    browser_name: id(browser),
    browser_version: id(browserVersionText(browser, data.browserVersion)),
    os_name: id(data.os),
    screen: id(data.screen),
  };
}

/** As an integer column holds them; -1 = unknown. */
const milliseconds = (seconds: number | null) => wholeMilliseconds(seconds) ?? -1;

/** The hits that a batch has of one visitor, or of one session or event without a visitor. */
export interface VisitorHits extends ActorKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
  /** What fact tables hold of the hits. */
  readonly columns: Map<SessionHit, FactColumns>;
}

/** Groups hits by {@link actorKeyOf}. */
export function addToVisitorHits(
  visits: Map<string, VisitorHits>,
  { website, arrival, columns }: ReadHit,
  {
    data: { visitorId: visitor, sessionId, zone },
  }: { readonly data: Pick<WebsiteEvent['data'], 'visitorId' | 'sessionId' | 'zone'> },
): void {
  const actor = visitor ?? sessionId ?? singleEventId(arrival.hit);
  const key = actorKeyOf({ website, actor });
  let visit = visits.get(key);
  if (!visit) {
    visit = { website, actor, visitor, calendar: calendarOf(zone), arrivals: [], columns: new Map() };
    visits.set(key, visit);
  }
  visit.arrivals.push(arrival);
  if (columns) visit.columns.set(arrival.hit, columns);
}
