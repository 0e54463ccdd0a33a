import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent, VisitorAttributes, WebsiteStamp } from '@ledgerline/contracts/events/observed-events';
import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import type { Arrival } from './arrivals';
import { spanOf } from './engagement';
import { linkKindOf } from './pages';
import { Random } from './random';
import type { Source } from './sources';
import type { Deed, Failure, Hit, Visit } from './visit';

/** The website, link and organization of the traffic. */
export interface Subjects {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly domain: string;
  readonly zone: string;
  readonly identity: VisitorIdentity;
  readonly linkId: string;
}

/** The event that intake would record for a hit. */
export function observe({ visit, hit }: Arrival, subjects: Subjects): ObservedEvent {
  const common = { id: idOf(visit, hit), at: hit.at, receivedAt: hit.arrives };
  if (visit.bot !== null) return { ...common, ...judged(visit.bot, hit, subjects) };
  return { ...common, ...factOf(hit, visit, subjects) };
}

type Fact = ObservedEvent extends infer E ? (E extends ObservedEvent ? Pick<E, 'type' | 'data'> : never) : never;
type DeedOf<Kind extends Deed['kind']> = Extract<Deed, { kind: Kind }>;

const DAY_MS = 86_400_000;
const NOWHERE: VisitorAttributes = {
  country: null,
  region: null,
  city: null,
  browser: null,
  browserVersion: null,
  os: null,
  device: 'other',
};

// TRICKY: every literal begins with properties; one that begins with a spread takes V8 twenty times as long.
const facts: { readonly [Kind in Deed['kind']]: (deed: DeedOf<Kind> & Hit, visit: Visit, subjects: Subjects) => Fact } =
  {
    click: ({ at }, visit, { organizationId, linkId }) => ({
      type: 'LinkClicked',
      data: {
        organizationId,
        linkId,
        visitorId: clicker(visit, at),
        referrer: null,
        utm: null,
        ...visitorAttributesOf(visit),
      },
    }),
    view: ({ page: { path, title } }, visit, subjects) => {
      const { language, timezone } = visit.person.place;
      const { screen } = visit.person.browser;
      const data = {
        host: subjects.domain,
        path,
        query: null,
        title,
        language,
        timezone,
        screen,
        viewport: screen,
        referrer: refer(visit.source),
        utm: tags(visit.source),
        ...visitorAttributesOf(visit),
        ...stamp(visit, subjects),
      };
      return { type: 'PageViewed', data };
    },
    leave: ({ page: { path }, seconds: timeOnPage, depth: scrollDepth }, visit, subjects) => {
      const leave = { timeOnPage, scrollDepth, interactions: scrollDepth % 7 };
      return {
        type: 'PageLeft',
        data: { path, host: subjects.domain, query: null, ...leave, ...stamp(visit, subjects) },
      };
    },
    engagement: (deed, visit, subjects) => {
      const { path } = deed.page;
      const data = {
        host: subjects.domain,
        path,
        timeOnPage: deed.seconds,
        span: spanOf(deed),
        ...stamp(visit, subjects),
      };
      return { type: 'EngagementMeasured', data };
    },
    outgoing: ({ page: { path }, href, text }, visit, subjects) => ({
      type: 'OutgoingLinkClicked',
      data: {
        href,
        linkKind: linkKindOf(href),
        own: false,
        text,
        host: subjects.domain,
        path,
        ...visitorAttributesOf(visit),
        ...stamp(visit, subjects),
      },
    }),
    vital: ({ page: { path }, metric, value }, visit, subjects) => ({
      type: 'VitalMeasured',
      data: { host: subjects.domain, path, metric, value, ...visitorAttributesOf(visit), ...stamp(visit, subjects) },
    }),
    error: ({ page: { path }, failure }, visit, subjects) => {
      const { message, type: errorType, line } = failure;
      const where = { stack: stackOf(failure), filename: SCRIPT, line, column: 17, errorType };
      return {
        type: 'ErrorRecorded',
        data: {
          host: subjects.domain,
          path,
          message,
          ...where,
          ...visitorAttributesOf(visit),
          ...stamp(visit, subjects),
        },
      };
    },
    custom: ({ page: { path }, name, plan }, visit, subjects) => {
      const properties = plan === null ? null : { plan };
      const event = { name, namespace: null, host: subjects.domain, path, properties, profileId: null, source: null };
      return {
        type: 'CustomEventTracked',
        data: { ...event, ...visitorAttributesOf(visit), ...stamp(visit, subjects) },
      };
    },
    server: ({ name, amount }, visit, subjects) => {
      const event = { name, namespace: null, properties: { amount }, profileId: null, source: 'server' };
      return {
        type: 'CustomEventTracked',
        data: { ...event, host: null, path: null, ...NOWHERE, ...stamp(visit, subjects) },
      };
    },
  };

/** Where the scripts of the website fail. */
export const SCRIPT = 'https://example.com/app.js';
export const stackOf = ({ type, message, line }: Failure): string => `${type}: ${message}\n    at ${SCRIPT}:${line}:17`;

/** The entry of a kind takes the hits of that kind, which the compiler cannot infer through a union. */
const factOf = (hit: Hit, visit: Visit, subjects: Subjects): Fact =>
  (facts[hit.kind] as (hit: Hit, visit: Visit, subjects: Subjects) => Fact)(hit, visit, subjects);

/** As random as the hash of a client's event id. */
function idOf({ key }: Visit, { place }: Hit): string {
  const random = new Random(parseInt(key.slice(0, 8), 16), parseInt(key.slice(8, 16), 16), place);
  return encodeEventId(random.fill(Buffer.allocUnsafe(16)));
}

const stamp = ({ person, key }: Visit, { organizationId, websiteId, zone, identity }: Subjects): WebsiteStamp => ({
  organizationId,
  websiteId,
  zone,
  identity,
  visitorId: person.key,
  sessionId: key,
});

function visitorAttributesOf({ person: { place, browser } }: Visit): VisitorAttributes {
  const { country, region, city } = place;
  const { name, version, os, device } = browser;
  return { country, region, city, browser: name, browserVersion: version, os, device };
}

const refer = ({ referrer }: Source) => referrer && { host: referrer.host, path: referrer.path, own: false };

const tags = ({ campaign }: Source) => campaign;

/** The visitor id of a click changes every day. */
const clicker = ({ person }: Visit, at: number): string => new Random(person.number, Math.floor(at / DAY_MS)).hex(32);

const judged = (bot: string, { kind, at }: Hit, { organizationId, websiteId }: Subjects): Fact => {
  const verdict = { userAgent: bot, bot: null, rule: 'isbot', ruleVersion: '5.2.3', hit: { kind, at } };
  return { type: 'HitJudgedBot', data: { ...verdict, organizationId, websiteId, linkId: null } };
};
