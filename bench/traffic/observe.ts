import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type {
  LinkClicked,
  ObservedEvent,
  Surroundings,
  WebsiteStamp,
} from '@ledgerline/contracts/events/observed-events';
import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';
import type { Arrival } from './arrivals';
import type { SitePage } from './pages';
import { Random } from './random';
import type { Deed, Hit, Visit } from './visit';

/** Whom the traffic is about. */
export interface Subjects {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly domain: string;
  readonly zone: string;
  readonly identity: VisitorIdentity;
  readonly linkId: string;
}

/** The event intake would record of a hit. */
export function observe({ visit, hit }: Arrival, subjects: Subjects): ObservedEvent {
  const common = { id: idOf(visit, hit), at: hit.at, receivedAt: hit.arrives };
  if (visit.bot !== null) return { ...common, ...judged(visit.bot, hit, subjects) };
  return { ...common, ...factOf(hit, visit, subjects) };
}

type Fact = ObservedEvent extends infer E ? (E extends ObservedEvent ? Pick<E, 'type' | 'data'> : never) : never;
type DeedOf<Kind extends Deed['kind']> = Extract<Deed, { kind: Kind }>;

const DAY_MS = 86_400_000;
const PLAIN = { namespace: null, profileId: null, source: null };
const NOWHERE_IN_CODE = { stack: null, filename: null, line: null, column: null, errorType: 'TypeError' };
const NOWHERE: Surroundings = {
  country: null,
  region: null,
  city: null,
  browser: null,
  browserVersion: null,
  os: null,
  device: 'other',
};

const facts: { readonly [Kind in Deed['kind']]: (deed: DeedOf<Kind> & Hit, visit: Visit, subjects: Subjects) => Fact } =
  {
    click: ({ at }, visit, { organizationId, linkId }) => ({
      type: 'LinkClicked',
      data: { ...surroundings(visit), organizationId, linkId, ...clicker(visit, at), referrer: null, utm: null },
    }),
    view: ({ page }, visit, subjects) => ({
      type: 'PageViewed',
      data: { ...stamp(visit, subjects), ...surroundings(visit), ...place(page, subjects), ...entrance(visit, page) },
    }),
    leave: ({ page, seconds, depth }, visit, subjects) => ({
      type: 'PageLeft',
      data: {
        ...stamp(visit, subjects),
        ...place(page, subjects),
        ...{ timeOnPage: seconds, scrollDepth: depth, interactions: depth % 7 },
      },
    }),
    engagement: ({ page, seconds, depth }, visit, subjects) => ({
      type: 'EngagementMeasured',
      data: {
        ...stamp(visit, subjects),
        ...{ path: page.path, timeOnPage: seconds },
        span: { activeTime: seconds / 2, maxScrollDepth: depth, clickCount: depth % 7 },
      },
    }),
    outgoing: ({ page, href, text }, visit, subjects) => ({
      type: 'OutgoingLinkClicked',
      data: { ...stamp(visit, subjects), ...surroundings(visit), href, text, path: page.path },
    }),
    vital: ({ page, metric, value }, visit, subjects) => ({
      type: 'VitalMeasured',
      data: { ...stamp(visit, subjects), ...surroundings(visit), path: page.path, metric, value },
    }),
    error: ({ page, message }, visit, subjects) => ({
      type: 'ErrorRecorded',
      data: { ...stamp(visit, subjects), ...surroundings(visit), path: page.path, message, ...NOWHERE_IN_CODE },
    }),
    custom: ({ page, name, plan }, visit, subjects) => ({
      type: 'CustomEventTracked',
      data: {
        ...stamp(visit, subjects),
        ...surroundings(visit),
        ...{ ...PLAIN, name, path: page.path, properties: plan === null ? null : { plan } },
      },
    }),
    server: ({ name, amount }, visit, subjects) => ({
      type: 'CustomEventTracked',
      data: {
        ...stamp(visit, subjects),
        ...NOWHERE,
        ...PLAIN,
        name,
        path: null,
        properties: { amount },
        source: 'server',
      },
    }),
  };

/** The entry of a kind takes the hits of that kind, which the compiler cannot tell of a union. */
const factOf = (hit: Hit, visit: Visit, subjects: Subjects): Fact =>
  (facts[hit.kind] as (hit: Hit, visit: Visit, subjects: Subjects) => Fact)(hit, visit, subjects);

/** As random as the hash of a client's event id. */
function idOf({ key }: Visit, { place }: Hit): string {
  const random = new Random(parseInt(key.slice(0, 8), 16), parseInt(key.slice(8, 16), 16), place);
  return encodeEventId(random.fill(Buffer.allocUnsafe(16)));
}

const stamp = (visit: Visit, { organizationId, websiteId, zone, identity }: Subjects): WebsiteStamp => ({
  organizationId,
  websiteId,
  zone,
  identity,
  visitorId: visit.person.key,
  sessionId: visit.key,
});

function surroundings({ person }: Visit): Surroundings {
  const { country, region, city } = person.place;
  const { name, version, os, device } = person.browser;
  return { country, region, city, browser: name, browserVersion: version, os, device };
}

const place = ({ path }: SitePage, { domain }: Subjects) => ({ host: domain, path, query: null });

const entrance = ({ person, source }: Visit, { title }: SitePage) => ({
  title,
  referrer: source.referrer && { ...source.referrer, own: false },
  utm: source.campaign && { ...source.campaign, term: null },
  language: person.place.language,
  timezone: person.place.timezone,
  screen: person.browser.screen,
  viewport: person.browser.screen,
});

/** The visitor of a click is another one every day. */
const clicker = ({ person }: Visit, at: number): Pick<LinkClicked['data'], 'visitorId'> => ({
  visitorId: new Random(person.number, Math.floor(at / DAY_MS)).hex(32),
});

const judged = (bot: string, { kind, at }: Hit, { organizationId, websiteId }: Subjects): Fact => ({
  type: 'HitJudgedBot',
  data: {
    ...{ organizationId, websiteId, linkId: null, bot: null },
    ...{ userAgent: bot, rule: 'isbot', ruleVersion: '5.2.3', hit: { kind, at } },
  },
});
