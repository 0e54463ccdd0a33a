import { randomBytes } from 'node:crypto';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';

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
      country: null,
      region: null,
      city: null,
      browser: null,
      browserVersion: null,
      os: null,
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
