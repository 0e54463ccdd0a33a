import type { ObservedEvent, Referrer, Surroundings, WebsiteStamp } from '@ledgerline/contracts/events/observed-events';
import type { Website } from '@ledgerline/domain/registry/registry';
import type { Place } from '../geo/atlas';
import type { Agent } from '../visitors/agent';
import type { Item } from './delivery';
import { isWithin, type Origin } from './payloads/page';
import type { PageViewFacts } from './payloads/payload';

/** What the request says of all its items. */
export interface Context {
  readonly id: string;
  readonly receivedAt: number;
  readonly place: Place;
  readonly agent: Agent;
}

/**
 * The event an item is. TRICKY: on this path objects are written out or assigned to, never spread; a literal of several
 * spreads costs some hundred times as much.
 */
export function eventOf(item: Item, context: Context): ObservedEvent {
  const { id, receivedAt } = context;
  const { at } = item;
  const { facts } = item.payload;
  switch (facts.type) {
    case 'PageViewed':
      return { type: facts.type, id, at, receivedAt, data: pageView(item, facts, context) };
    case 'PageLeft':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(stampOf(item), facts.data) };
    case 'EngagementMeasured':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(stampOf(item), facts.data) };
    case 'CustomEventTracked':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(surrounded(item, context), facts.data) };
    case 'OutgoingLinkClicked':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(surrounded(item, context), facts.data) };
    case 'VitalMeasured':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(surrounded(item, context), facts.data) };
    case 'ErrorRecorded':
      return { type: facts.type, id, at, receivedAt, data: Object.assign(surrounded(item, context), facts.data) };
  }
}

const stampOf = ({ website, organizationId, visitorId, sessionId }: Item): WebsiteStamp => ({
  organizationId,
  websiteId: website?.id ?? null,
  zone: website?.timezone ?? 'UTC',
  identity: website?.visitorIdentity ?? 'daily',
  visitorId,
  sessionId,
});

const surrounded = (item: Item, { place, agent }: Context): WebsiteStamp & Surroundings => ({
  organizationId: item.organizationId,
  websiteId: item.website?.id ?? null,
  zone: item.website?.timezone ?? 'UTC',
  identity: item.website?.visitorIdentity ?? 'daily',
  visitorId: item.visitorId,
  sessionId: item.sessionId,
  country: place.country,
  region: place.region,
  city: place.city,
  browser: agent.browser,
  browserVersion: agent.browserVersion,
  os: agent.os,
  device: agent.device,
});

const pageView = (item: Item, { data }: PageViewFacts, { place, agent }: Context) => ({
  organizationId: item.organizationId,
  websiteId: item.website?.id ?? null,
  zone: item.website?.timezone ?? 'UTC',
  identity: item.website?.visitorIdentity ?? 'daily',
  visitorId: item.visitorId,
  sessionId: item.sessionId,
  country: place.country,
  region: place.region,
  city: place.city,
  browser: agent.browser,
  browserVersion: agent.browserVersion,
  os: agent.os,
  device: agent.device,
  host: data.host,
  path: data.path,
  query: data.query,
  title: data.title,
  referrer: withOwner(data.referrer, item.website),
  utm: data.utm,
  language: data.language,
  timezone: data.timezone,
  screen: data.screen,
  viewport: data.viewport,
});

const withOwner = (origin: Origin | null, website: Website | null): Referrer | null =>
  origin && {
    host: origin.host,
    path: origin.path,
    own: website !== null && isWithin(origin.host, website.domain),
  };
