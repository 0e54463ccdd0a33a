import { createHash } from 'node:crypto';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { CustomEventTracked, LinkClicked } from '@ledgerline/contracts/events/observed-events';

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
    path: null,
    properties: { plan: 'pro', broken: '\u0000\ud800' },
    profileId: null,
    source: null,
  },
});

export const linkClick = (linkId: string, n: number): LinkClicked => ({
  type: 'LinkClicked',
  id: encodeEventId(hash(`${linkId} ${n}`)),
  at: START + n * 1000,
  receivedAt: START + n * 1000,
  data: {
    ...somewhere,
    organizationId: 'org_1',
    linkId,
    visitorId: hash(`clicker ${n}`).toString('hex'),
    referrer: { host: 'www.google.de', path: '/', own: false },
    utm: null,
  },
});
