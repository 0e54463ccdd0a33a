import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, PageViewed, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { type EventField, KINDS, PAGE_FIELDS } from '@ledgerline/contracts/read-models/event-kinds';
import { channelOf, sourceOfVisit } from '@ledgerline/domain/referrers/source-of';
import { singleEventId, type Arrival } from '@ledgerline/domain/sessions/add-hits';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { calendarOf } from '@ledgerline/domain/time/zones';
import {
  type Attributes,
  type SessionHit,
  browserVersionText,
  placeText,
} from '@ledgerline/contracts/sessions/session';
import type { Intern, StringInterner } from './dictionary';
import { factsOf, type FactColumns } from './event-facts.projections';
import { actorKeyOf, type ActorKey } from './session-rows';

/** A hit with the text id of its website. */
export interface ReadHit {
  readonly website: number;
  readonly arrival: Arrival;
  /** What its fact table holds of it, if its type has one. */
  readonly columns: FactColumns | undefined;
}

/** What an event is inside a session. */
export type HitPart = Omit<SessionHit, 'at' | 'id' | 'values'> & { readonly values: readonly number[] };

/** The kind of each type of event, with the fields of its hits as a list. */
const KIND_OF_TYPE: Readonly<Record<string, { readonly kind: number; readonly fields: readonly EventField[] }>> =
  Object.fromEntries(KINDS.map(({ type, number, fields }) => [type, { kind: number, fields: Object.values(fields) }]));

export function partOf({ type, data }: WebsiteEvent, id: Intern): HitPart {
  const { kind = 0, fields = [] } = KIND_OF_TYPE[type] ?? {};
  const values: number[] = [];
  for (const field of fields) values.push(numberOf(field, data, id));
  const { path, hostname } = PAGE_FIELDS;
  return { kind, path: numberOf(path, data, id), hostname: numberOf(hostname, data, id), values, from: 0 };
}

const numberOf = ({ isText, of }: EventField, data: WebsiteEvent['data'], id: Intern): number => {
  const value = of(data as never); // a kind takes the events of its type, which the compiler cannot infer
  return isText ? id(value as string | null | undefined) : ((value ?? -1) as number);
};

export const HIT_TYPES = Object.keys(KIND_OF_TYPE) as readonly WebsiteObservedEvent['type'][];

export type WebsiteEvent = WebsiteObservedEvent & { readonly data: { readonly websiteId: string } };

/** True for what belongs to a website; an event of the whole organization does not. */
export const isWebsiteEvent = (event: ObservedEvent): event is WebsiteEvent =>
  event.type in KIND_OF_TYPE && (event as WebsiteObservedEvent).data.websiteId !== null;

export function readHit(event: WebsiteEvent, strings: StringInterner): ReadHit {
  const website = strings.website(event.data.websiteId);
  const id: Intern = (text) => strings.intern(website, text);
  const arrival = {
    hit: { at: event.at, id: decodeEventId(event.id).toString('hex'), ...partOf(event, id) },
    session: event.data.sessionId,
    attributes: event.type === 'PageViewed' ? attributesOf(event, id) : undefined,
  };
  return { website, arrival, columns: factsOf(event.type)?.columnsOf(event.data, id) };
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
