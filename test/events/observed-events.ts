import { createHash, randomBytes } from 'node:crypto';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type {
  CustomEventTracked,
  LinkClicked,
  OutgoingLinkClicked,
  PageViewed,
} from '@ledgerline/contracts/events/observed-events';

const hash = (text: string) => createHash('sha256').update(text).digest().subarray(0, 16);
const START = Date.parse('2026-05-04T10:00:00Z');

const somewhere = {
  country: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  browser: 'Firefox',
  browserVersion: '142.0',
  os: 'Linux',
  device: 'desktop' as const,
};

/** The n-th custom event of a website, each by a visitor of its own. */
export const customEvent = (websiteId: string, n: number): CustomEventTracked => ({
  type: 'CustomEventTracked',
  id: encodeEventId(hash(`${websiteId} ${n}`)),
  at: START + n * 1000,
  receivedAt: START + n * 1000,
  data: {
    ...somewhere,
    organizationId: 'org_1',
    websiteId,
    zone: 'Europe/Berlin',
    identity: 'daily',
    visitorId: hash(`visitor ${n}`).toString('hex'),
    sessionId: null,
    name: 'signup',
    namespace: 'bad \u0000 text',
    host: null,
    path: null,
    properties: { plan: 'pro', broken: '\u0000\ud800' },
    profileId: null,
    source: null,
  },
});

/** The n-th click on a link, each by a visitor of its own. */
export const linkClick = (linkId: string, n: number): LinkClicked => ({
  ...linkClicked(START + n * 1000, {
    ...somewhere,
    linkId,
    visitorId: hash(`clicker ${n}`).toString('hex'),
    referrer: { host: 'www.google.de', path: '/', own: false },
  }),
  id: encodeEventId(hash(`${linkId} ${n}`)),
});

/** The attributes of a visitor without address and user agent. */
const unknown = { country: null, region: null, city: null, browser: null, browserVersion: null, os: null };

/** A page view with nothing special about it but what is given. */
export function pageView(at: number, given: Partial<PageViewed['data']>): PageViewed {
  return {
    type: 'PageViewed',
    id: encodeEventId(randomBytes(16)),
    at,
    receivedAt: at,
    data: {
      organizationId: 'org_1',
      websiteId: 'site_1',
      zone: 'UTC',
      identity: 'daily',
      visitorId: 'a'.repeat(32),
      sessionId: null,
      host: 'example.com',
      path: '/',
      query: null,
      ...unknown,
      device: 'desktop',
      title: null,
      referrer: null,
      utm: null,
      language: null,
      timezone: null,
      screen: null,
      viewport: null,
      ...given,
    },
  };
}

/** A click with nothing special about it but what is given. */
export const linkClicked = (at: number, given: Partial<LinkClicked['data']>): LinkClicked => ({
  type: 'LinkClicked',
  id: encodeEventId(randomBytes(16)),
  at,
  receivedAt: at,
  data: {
    organizationId: 'org_1',
    linkId: 'link_1',
    visitorId: null,
    referrer: null,
    utm: null,
    ...unknown,
    device: 'other',
    ...given,
  },
});

/** A click of an outgoing link with nothing special about it but what is given. */
export const outgoingLink = (at: number, given: Partial<OutgoingLinkClicked['data']>): OutgoingLinkClicked => ({
  type: 'OutgoingLinkClicked',
  id: encodeEventId(randomBytes(16)),
  at,
  receivedAt: at,
  data: {
    organizationId: 'org_1',
    websiteId: 'site_1',
    zone: 'UTC',
    identity: 'daily',
    visitorId: 'a'.repeat(32),
    sessionId: null,
    host: 'example.com',
    path: '/',
    href: 'https://other.example/',
    linkKind: 'link',
    own: false,
    text: null,
    ...unknown,
    device: 'desktop',
    ...given,
  },
});
