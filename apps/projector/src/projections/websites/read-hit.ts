import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, PageViewed, WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { keysOf } from '@ledgerline/contracts/json';
import {
  EVENT_KINDS,
  type EventField,
  type EventKind,
  type EventKinds,
  type FactUnit,
  KINDS,
  PAGE_FIELDS,
} from '@ledgerline/contracts/read-models/event-kinds';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  customEvents,
  engagementSpans,
  errors,
  linkVisits,
  vitals,
} from '@ledgerline/contracts/read-models/website-facts';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import {
  type SessionAttributes,
  type SessionHit,
  browserVersionText,
  placeText,
} from '@ledgerline/contracts/sessions/session';
import { channelOf, sourceOfVisit } from '@ledgerline/domain/referrers/source-of';
import { singleEventId, type Arrival } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/time/zones';
import type { Value } from '@ledgerline/platform/database/read-model-rows';
import { jsonText, withoutNul } from '@ledgerline/platform/database/sql';
import type { Intern, StringInterner } from './dictionary';

/** A hit with the text id of its website. */
export interface ReadHit {
  readonly website: number;
  readonly arrival: Arrival;
  /** The columns of its fact table, if its type has one. */
  readonly columns: FactColumns | undefined;
}

/** The part of a hit that an event is inside a session. */
export type HitPart = Omit<SessionHit, 'at' | 'id' | 'values'> & { readonly values: readonly number[] };

/** The kind of each type of event, with the fields of its hits as a list. */
const KIND_OF_TYPE: Readonly<Record<string, { readonly kind: number; readonly fields: readonly EventField[] }>> =
  Object.fromEntries(KINDS.map(({ type, number, fields }) => [type, { kind: number, fields: Object.values(fields) }]));

export function hitPart({ type, data }: WebsiteHitEvent, id: Intern): HitPart {
  const { kind = 0, fields = [] } = KIND_OF_TYPE[type] ?? {};
  const values: number[] = [];
  for (const field of fields) values.push(numberOf(field, data, id));
  const { path, hostname } = PAGE_FIELDS;
  return { kind, path: numberOf(path, data, id), hostname: numberOf(hostname, data, id), values, from: 0 };
}

const numberOf = ({ isText, of }: EventField, data: WebsiteHitEvent['data'], id: Intern): number => {
  const value = of(data as never); // a kind takes the events of its type, which the compiler cannot infer
  return isText ? id(value as string | null | undefined) : ((value ?? -1) as number);
};

export const HIT_TYPES = keysOf(KIND_OF_TYPE);

export type WebsiteHitEvent = WebsiteObservedEvent & { readonly data: { readonly websiteId: string } };

/** True for what belongs to a website; an event of the whole organization does not. */
export const isWebsiteEvent = (event: ObservedEvent): event is WebsiteHitEvent =>
  event.type in KIND_OF_TYPE && (event as WebsiteObservedEvent).data.websiteId !== null;

export function readHit(event: WebsiteHitEvent, strings: StringInterner): ReadHit {
  const website = strings.website(event.data.websiteId);
  const id: Intern = (text) => strings.intern(website, text);
  const arrival = {
    hit: { at: event.at, id: decodeEventId(event.id).toString('hex'), ...hitPart(event, id) },
    session: event.data.sessionId,
    attributes: event.type === 'PageViewed' ? attributesOf(event, id) : undefined,
  };
  return { website, arrival, columns: factsOf(event.type)?.columnsOf(event.data, id) };
}

/** Returns what a session has of its first page view. */
export function attributesOf({ data }: PageViewed, id: Intern): SessionAttributes {
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

export type FactColumns = Readonly<Record<string, Value>>;

/** A table with one row per event of a kind: website, at, id, visitor, session, and the columns that the kind declares. */
interface EventFacts {
  readonly builds: ReadModel;
  readonly type: WebsiteObservedEvent['type'];
  readonly kind: number;
  /** Undefined of an event that has no row. */
  readonly columnsOf: (data: object, id: Intern) => FactColumns | undefined;
  /** The columns that hold text ids. */
  readonly texts: readonly string[];
  /** The unit that is counted of them, beside their hits. */
  readonly unit: FactUnit | undefined;
}

/** The kinds of events that have a row of their own beside their hit in a session. */
type KindWithFacts = {
  [Name in keyof EventKinds]: EventKinds[Name] extends { facts: object } ? Name : never;
}[keyof EventKinds];

const MODELS: Readonly<Record<KindWithFacts, ReadModel>> = {
  view: linkVisits,
  error: errors,
  custom: customEvents,
  vital: vitals,
  engagement: engagementSpans,
};

export const EVENT_FACTS: readonly EventFacts[] = Object.entries(MODELS).map(([name, builds]) => {
  const { type, number: kind, facts }: EventKind = EVENT_KINDS[name as KindWithFacts];
  const fields = Object.entries<EventField>({ ...PAGE_FIELDS, ...facts.columns });
  const isIn = facts.isIn as ((data: object) => boolean) | undefined; // of events of the type
  return {
    builds,
    type,
    kind,
    unit: facts.unit,
    columnsOf(data, id) {
      if (isIn?.(data) === false) return undefined;
      const columns: Record<string, Value> = {};
      for (const [column, field] of fields) columns[column] = valueOf(field, data, id);
      return columns;
    },
    texts: fields.flatMap(([column, { isText }]) => (isText ? [column] : [])),
  };
});

const BY_TYPE: ReadonlyMap<string, EventFacts> = new Map(EVENT_FACTS.map((facts) => [facts.type, facts]));

export const factsOf = (type: WebsiteObservedEvent['type']): EventFacts | undefined => BY_TYPE.get(type);

function valueOf({ isText, of }: EventField, data: object, id: Intern): Value {
  const value = of(data as never); // a kind takes the events of its type, which the compiler cannot infer
  if (isText) return id(value as string | null | undefined);
  if (typeof value === 'string') return withoutNul(value);
  return typeof value === 'object' && value !== null ? jsonText(value) : (value ?? null);
}

/** One visitor of a website, or one session or event without a visitor. */
export interface ActorKey {
  /** Text id. */
  readonly website: number;
  /** 32 hex digits. */
  readonly actor: string;
}

export const actorKeyOf = ({ website, actor }: ActorKey): string => `${website} ${actor}`;

/** The hits that a batch has of one visitor, or of one session or event without a visitor. */
export interface VisitorHits extends ActorKey {
  readonly visitor: string | null;
  readonly calendar: Calendar;
  readonly arrivals: Arrival[];
  /** The columns that fact tables hold of the hits. */
  readonly columns: Map<SessionHit, FactColumns>;
}

/** Groups hits by {@link actorKeyOf}. */
export function addToVisitorHits(
  visits: Map<string, VisitorHits>,
  { website, arrival, columns }: ReadHit,
  {
    data: { visitorId: visitor, sessionId, zone },
  }: { readonly data: Pick<WebsiteHitEvent['data'], 'visitorId' | 'sessionId' | 'zone'> },
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
