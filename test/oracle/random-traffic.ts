import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Utm, WebsiteObservedEvent, WebsiteStamp } from '@ledgerline/contracts/events/observed-events';
import { addDays } from '@ledgerline/domain/time/zones';
import { CLOCK_CHANGES } from './clock-changes';
import { REFERRERS } from './naive-attributes';
import { failure, left, span, vital } from './random-reports';

/** Zones with half hours, 15 minutes, both hemispheres' clock changes, and far ends of the date line. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Antarctica/Troll',
  'Pacific/Kiritimati',
];

/** Weekends on which clocks change somewhere in {@link ZONES}, and an ordinary week. */
const STARTS = ['2026-03-27', '2026-10-23', '2026-04-03', '2026-06-10'];

/** Where and when traffic begins: mostly anywhere in some of these weeks, else two days before a change of clocks. */
export const origin = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...ZONES), fc.constantFrom(...STARTS)) },
  { weight: 1, arbitrary: fc.constantFrom(...CLOCK_CHANGES).map(([zone, day]) => [zone, addDays(day, -2)] as const) },
);

export interface Site {
  readonly websiteId: string;
  readonly organizationId: string;
  readonly zone: string;
}

export interface Traffic {
  readonly zone: string;
  /** First day of the traffic, `YYYY-MM-DD`. */
  readonly start: string;
  /** Events by arrival, built for a site. */
  events(site: Site): WebsiteObservedEvent[];
}

export const PATHS = ['/', '/a', '/b', '/a/b', '/gr%C3%B6%C3%9Fe'];
const COUNTRIES = [null, 'DE', 'DE', 'FR', 'US'];
const MINUTES_PER_WEEK = 7 * 24 * 60;

/** Where a hit lies: minutes make gaps of exactly 30 minutes likely, milliseconds make ties and near misses. */
export const moment = fc.record({
  minute: fc.oneof(
    fc.integer({ min: 0, max: MINUTES_PER_WEEK }),
    fc.integer({ min: 0, max: 24 }).map((half) => half * 30),
    fc.integer({ min: 2850, max: 2910 }),
  ),
  ms: fc.constantFrom(0, 0, 0, 1, 59_999),
  /** Some visitors return after weeks, as do some of their events that are late. */
  week: fc.constantFrom(0, 0, 0, 0, 0, 1, 5, 9, 15),
});

export const surroundings = fc.record({
  country: fc.constantFrom(...COUNTRIES),
  region: fc.constantFrom(null, 'North', 'South'),
  city: fc.constantFrom(null, 'Paris', 'Springfield'),
  browser: fc.constantFrom(null, 'Chrome', 'Firefox'),
  browserVersion: fc.constantFrom('120', '121'),
  os: fc.constantFrom(null, 'Linux', 'iOS'),
  device: fc.constantFrom('desktop' as const, 'mobile' as const, 'tablet' as const, 'other' as const),
});

const word = fc.constantFrom(null, 'x', 'y', 'Y', 'Google', 'newsletter', 'ChatGPT', 'Reddit');
const medium = fc.oneof(
  word,
  fc.constantFrom('cpc', 'SEM', 'paid-search', 'paid_social', 'PaidSocial'),
  fc.constantFrom('E-Mail', 'affiliate', 'CPM', 'organic', 'social', 'Referral'),
);
export const utm: fc.Arbitrary<Utm | null> = fc.option(
  fc.record({ source: word, medium, campaign: word, term: word, content: word }),
  { freq: 2 },
);
export const referrer = fc.option(
  fc.record({
    host: fc.constantFrom(...Object.keys(REFERRERS), 'own.example'),
    path: fc.constantFrom('/', '/deep'),
  }),
  { freq: 2 },
);
const timeOnPage = fc.constantFrom(null, 0, 3.25, 9.999, 10, 45, 4000);

const kind = fc.oneof(
  { weight: 8, arbitrary: fc.constant('PageViewed' as const) },
  { weight: 2, arbitrary: fc.constantFrom('CustomEventTracked' as const, 'OutgoingLinkClicked' as const) },
  { weight: 3, arbitrary: fc.constantFrom('PageLeft' as const, 'EngagementMeasured' as const) },
  { weight: 2, arbitrary: fc.constantFrom('VitalMeasured' as const, 'ErrorRecorded' as const) },
);

/** Several page views may carry one. */
const CLICKS = [
  { id: '01KDX0000000000000000000C1', linkId: 'link_1' },
  { id: '01KDX0000000000000000000C2', linkId: 'link_1' },
  { id: '01KDX0000000000000000000C3', linkId: 'link_2' },
] as const;

const CLICK_IDS = 'gclid= ttclid q=1&gclid=2 MSCLKID=3 wbraid=5 twclid=6 q=1&li_fat_id=7 fbclid=4'.split(' ');
const HREFS = ['https://out.example/a', 'https://out.example/b', 'http://Other.example:8080/', 'https://own.example/a'];

export const hit = fc.record({
  kind,
  moment,
  visitor: fc.constantFrom(0, 0, 1, 1, 2, 3, null),
  session: fc.constantFrom(null, null, 0, 0, 1, 2),
  path: fc.constantFrom(...PATHS),
  host: fc.constantFrom('own.example', 'own.example', 'www.own.example', null),
  query: fc.oneof(fc.constantFrom(null, 'q=1'), fc.constantFrom(...CLICK_IDS)),
  click: fc.constantFrom(...Array<null>(6).fill(null), ...CLICKS),
  surroundings,
  utm,
  referrer,
  timeOnPage,
  language: fc.constantFrom(null, 'en-US', 'de'),
  timezone: fc.constantFrom(null, 'Europe/Berlin'),
  screen: fc.constantFrom(null, '1920x1080'),
  name: fc.constantFrom('signup', 'purchase'),
  namespace: fc.constantFrom(null, 'shop'),
  properties: fc.constantFrom(
    null,
    {},
    { plan: 'pro' },
    { plan: 'pro', seats: 3, trial: true, size: 0.5 },
    { plan: 'free', tags: [1, 'a'], note: null },
    { seats: '3', size: 0.1 },
    { seats: -5, size: 19.99 },
    { plan: 'pro', seats: '9999999999999999', size: 2e15 },
  ),
  href: fc.constantFrom(...HREFS),
  text: fc.constantFrom(null, 'Go', 'Away'),
  linkKind: fc.constantFrom('link' as const, 'link' as const, 'download' as const),
  failure,
  span,
  left,
  vital,
  /** The report of which a vital or a span is a revision; null = it is the only report of its kind. */
  report: fc.constantFrom(null, 0, 0, 1),
});

type RandomHit = typeof hit extends fc.Arbitrary<infer Value> ? Value : never;

/** Page views and engagement of a single page, which are enough for the pages that answers leave out otherwise. */
const onOneForm = (random: RandomHit): RandomHit => ({
  ...random,
  kind: random.kind === 'PageViewed' || random.kind === 'PageLeft' ? random.kind : 'EngagementMeasured',
  path: '/a',
  span: { formFieldCount: 1, ...random.span },
});

/** Reports of one person that replace each other, in a few sessions. */
const ofOnePerson = (random: RandomHit): RandomHit => ({
  ...random,
  kind: random.kind === 'PageViewed' || random.kind === 'PageLeft' ? random.kind : REPORTS[random.moment.minute % 2]!,
  visitor: 0,
  report: 0,
});
const REPORTS = ['VitalMeasured', 'EngagementMeasured'] as const;

export const traffic: fc.Arbitrary<Traffic> = fc
  .record({
    origin,
    hits: fc.oneof(
      { weight: 4, arbitrary: fc.array(hit, { maxLength: 60 }) },
      { weight: 1, arbitrary: fc.array(hit.map(onOneForm), { minLength: 20, maxLength: 60 }) },
      { weight: 1, arbitrary: fc.array(hit.map(ofOnePerson), { minLength: 5, maxLength: 40 }) },
    ),
  })
  .map(({ origin: [zone, start], hits }) => trafficOf(zone, start, hits));

export const trafficOf = (zone: string, start: string, hits: readonly RandomHit[]) => ({
  zone,
  start,
  hits,
  events: (site: Site) => hits.map((random, at) => toEvent(random, at, start, site)),
});

export const hex = (...parts: (string | number)[]) =>
  createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 32);

/** 26 characters of Crockford base32 that look random but depend only on the hit's place. */
export const eventId = (...parts: (string | number)[]): string => inDigits(hex(...parts));

function inDigits(hexadecimal: string): string {
  const digits = BigInt(`0x${hexadecimal}`);
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  return Array.from({ length: 26 }, (_, at) => alphabet[Number((digits >> BigInt((25 - at) * 5)) & 31n)]).join('');
}

export const timeOf = ({ minute, ms, week }: RandomHit['moment'], start: string) =>
  Date.parse(`${start}T00:00:00Z`) + (week * MINUTES_PER_WEEK + minute) * 60_000 + ms;

export const stampOf = (site: Site, visitor: number | null, session: number | null): WebsiteStamp => ({
  organizationId: site.organizationId,
  websiteId: site.websiteId,
  zone: site.zone,
  identity: 'stable',
  visitorId: visitor === null ? null : hex('visitor', site.websiteId, visitor),
  sessionId: session === null ? null : hex('session', site.websiteId, session),
});

/** The revisions of a report come in any order, and into any session. */
function idOf({ kind: type, report }: RandomHit, place: number, { websiteId }: Site): string {
  if (report === null || (type !== 'VitalMeasured' && type !== 'EngagementMeasured')) return eventId(websiteId, place);
  const revision = ((place * 37) % 64).toString(16).padStart(8, '0');
  return inDigits(`${hex('report', websiteId, type, report).slice(0, 24)}${revision}`);
}

function toEvent(random: RandomHit, place: number, start: string, site: Site): WebsiteObservedEvent {
  const at = timeOf(random.moment, start);
  const stamp = stampOf(site, random.visitor, random.session);
  const common = { id: idOf(random, place, site), at, receivedAt: at + 1000 };
  const { host, path } = random;
  const page = { host, path, query: random.query };
  const seen = { ...stamp, ...random.surroundings, host, path };
  switch (random.kind) {
    case 'PageViewed':
      return {
        ...common,
        type: 'PageViewed',
        data: {
          ...stamp,
          ...random.surroundings,
          ...page,
          title: null,
          referrer: random.referrer && { ...random.referrer, own: random.referrer.host === 'own.example' },
          utm: random.utm,
          language: random.language,
          timezone: random.timezone,
          screen: random.screen,
          viewport: null,
          ...(random.click && { click: random.click }),
        },
      };
    case 'PageLeft':
      return {
        ...common,
        type: 'PageLeft',
        data: { ...stamp, ...page, timeOnPage: random.timeOnPage, ...random.left },
      };
    case 'EngagementMeasured':
      return {
        ...common,
        type: 'EngagementMeasured',
        data: { ...stamp, host, path, timeOnPage: random.timeOnPage, span: random.span },
      };
    case 'CustomEventTracked':
      return {
        ...common,
        type: 'CustomEventTracked',
        data: {
          ...stamp,
          ...random.surroundings,
          name: random.name,
          namespace: random.namespace,
          ...(path === '/b' ? { host: null, path: null } : { host, path }),
          properties: random.properties,
          profileId: null,
          source: null,
        },
      };
    case 'OutgoingLinkClicked':
      return {
        ...common,
        type: 'OutgoingLinkClicked',
        data: {
          ...seen,
          href: random.href,
          linkKind: random.linkKind,
          own: random.href.includes('//own.'),
          text: random.text,
        },
      };
    case 'VitalMeasured':
      return { ...common, type: 'VitalMeasured', data: { ...seen, ...random.vital } };
    case 'ErrorRecorded':
      return { ...common, type: 'ErrorRecorded', data: { ...seen, ...random.failure } };
  }
}
